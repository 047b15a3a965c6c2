import { parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY } from '../support/config.js';
import { sleep, until } from '../support/until.js';
import { depositDirectly, pay } from '../support/wallet.js';
import type { Order, World } from '../support/world.js';
import { type Member, PgWorld } from './support/pg-world.js';

let pg: PgWorld;
let world: World;

/** Longer than the pause of a stopped process, so that in-flight responses do not time out first. */
const STATEMENT_MS = 30_000;
const LEASE_MS = 3_000;

beforeAll(async () => {
  pg = await PgWorld.prepare(2, STATEMENT_MS, { collectMinUsd: '1000000000' });
  ({ world } = pg);
  for (const member of pg.members) await member.boot();
});

afterAll(async () => {
  await pg?.close();
});

const AMOUNT = parseEther('0.5');

async function filledOnce(order: Order, ms = 30_000): Promise<void> {
  await becomes(order, 'success', ms);
  expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
}

async function becomes(order: Order, status: string, ms = 30_000): Promise<void> {
  await until(
    `${order.requestId} becomes ${status}`,
    async () => {
      await world.finalise();
      return (await alive().rest.status(order.requestId)).status === status;
    },
    { ms, every: 100 },
  );
}

const stopped = new Set<Member>();

function alive(): Member {
  const found = pg.members.find((member) => !stopped.has(member) && member.service.alive);
  if (found === undefined) throw new Error('no process is left');
  return found;
}

function scopesHeld(member: Member): ReadonlySet<string> {
  const held = new Set<string>();
  for (const line of member.service.output.split('\n')) {
    if (line.includes('"msg":"lease held"')) held.add((JSON.parse(line) as { scope: string }).scope);
    if (line.includes('"msg":"lease lost')) held.delete((JSON.parse(line) as { scope: string }).scope);
  }
  return held;
}

function heldSince(member: Member): number {
  const lines = member.service.output.split('\n').filter((line) => line.includes('"msg":"lease held"'));
  return Math.max(...lines.map((line) => Date.parse((JSON.parse(line) as { time: string }).time)));
}

async function holder(): Promise<Member> {
  return until('one process holds every lease', () =>
    pg.members.find((one) => one.service.alive && scopesHeld(one).size === 5),
  );
}

function twinOf(member: Member): Member {
  const other = pg.members.find((one) => one !== member);
  if (other === undefined) throw new Error('there are two');
  return other;
}

async function order(via: Member): Promise<Order> {
  return until('a quote is given', async () => {
    await world.finalise();
    return world.order({ amount: AMOUNT }, via.rest);
  });
}

function stop(member: Member): void {
  stopped.add(member);
  process.kill(member.service.pid, 'SIGSTOP');
}

function resume(member: Member): void {
  stopped.delete(member);
  process.kill(member.service.pid, 'SIGCONT');
}

async function fenced(member: Member): Promise<number> {
  const text = await (await fetch(`${member.rest.baseUrl}/metrics`, { headers: { 'x-admin-key': ADMIN_KEY } })).text();
  const lines = text.split('\n').filter((line) => /apply_conflicts\S*\{[^}]*kind="fenced"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

describe('two processes on one database', () => {
  it('quote both, and work once', async () => {
    const orders = [];
    for (const member of [...pg.members, ...pg.members]) orders.push(await order(member));
    for (const one of orders) await pay(one.from, one.user, one.quote);
    for (const one of orders) await filledOnce(one);
    for (const one of orders)
      for (const { rest } of pg.members) expect((await rest.status(one.requestId)).status).toBe('success');
  });

  it('one stopped past its lease with writes on their way: the other takes over, and the late writes are fenced off', async () => {
    const first = await holder();
    const second = twinOf(first);
    const filled = await order(second);
    const refunded = await order(second);
    const before = await fenced(first);
    // Its change sets stay in flight for longer than its lease.
    first.database.plan = ({ from, bytes }) => (from === 'client' && bytes.includes('apply\0') ? 'hold' : 'pass');
    await pay(filled.from, filled.user, filled.quote);
    await depositDirectly(world.a, refunded.user, { symbol: 'ETH', amount: AMOUNT / 2n, id: refunded.orderId });
    await sleep(500);
    stop(first);
    await filledOnce(filled);
    await becomes(refunded, 'refund');
    first.database.heal();
    await sleep(300);
    resume(first);
    await until('a late write is fenced off', async () => (await fenced(first)) > before);
    const later = await order(second);
    await pay(later.from, later.user, later.quote);
    await filledOnce(later);
    expect(await world.b.balance(filled.recipient, 'ETH')).toBe(filled.amountOut);
    expect(await world.a.balance(refunded.refundTo, 'ETH')).toBeLessThan(AMOUNT / 2n);
  });

  it.each(['while the fill waits in the pool', 'in the middle of many'])(
    'one stopped past its lease %s, then resumed: everything ends once',
    async (when) => {
      const first = await holder();
      const orders = [];
      for (let n = 0; n < (when === 'in the middle of many' ? 6 : 1); n += 1) orders.push(await order(twinOf(first)));
      if (when === 'while the fill waits in the pool') await world.b.manual();
      for (const one of orders) await pay(one.from, one.user, one.quote);
      if (when === 'while the fill waits in the pool') await sleep(700);
      stop(first);
      await sleep(LEASE_MS + 1_000);
      resume(first);
      await world.b.automatic();
      for (const one of orders) await filledOnce(one);
    },
  );

  it('one ends politely: the other takes over at once', async () => {
    const first = await holder();
    const one = await order(twinOf(first));
    await first.service.stop();
    const started = performance.now();
    await pay(one.from, one.user, one.quote);
    await filledOnce(one);
    expect(performance.now() - started).toBeLessThan(LEASE_MS);
    await first.boot();
  });

  it('one is killed: the other takes over within its lease', async () => {
    const first = await holder();
    const one = await order(twinOf(first));
    await pay(one.from, one.user, one.quote);
    const killed = Date.now();
    await first.service.kill();
    await filledOnce(one);
    // Not until the fill, which takes longer on slow machines.
    const second = await holder();
    expect(second).toBe(twinOf(first));
    expect(heldSince(second) - killed).toBeGreaterThan(0);
    expect(heldSince(second) - killed).toBeLessThan(2 * LEASE_MS);
    await first.boot();
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
