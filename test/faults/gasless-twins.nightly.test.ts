import { encodeFunctionData, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testToken } from '../../plugins/evm/src/generated/contracts.js';
import { type Integrator, linkIntegrator } from '../support/app-balance.js';
import { postPermit, signPermit } from '../support/permits.js';
import { until } from '../support/until.js';
import { fund, newAddress, newUser, pay } from '../support/wallet.js';
import type { Order, World } from '../support/world.js';
import { type Member, PgWorld } from './support/pg-world.js';

/** Calls, permits and sponsored quotes that two processes accept at once, at the cost of one app balance. */

let pg: PgWorld;
let world: World;
let integrator: Integrator;

const STATEMENT_MS = 10_000;
const usd = (amount: string) => parseUnits(amount, 6);
/** Calls that the balance allows at once, and that are asked for. */
const [ALLOWED, ASKED] = [40, 200];

beforeAll(async () => {
  pg = await PgWorld.prepare(2, STATEMENT_MS, { gasless: true, permits: true, collectMinUsd: '1000000000' });
  ({ world } = pg);
  for (const member of pg.members) await member.boot();
  integrator = await linkIntegrator(world, FIRST);
});

afterAll(async () => {
  await pg?.close();
});

/** Micro-USD. */
const FIRST = 1_000_000_000n;

interface Answer {
  readonly status: number;
  readonly body: { readonly requestId?: string; readonly error?: string };
}

/** Mints one unit for an account of its own, so that its balance counts how often the call was made. */
class Call {
  readonly heir = newAddress();

  async post({ rest }: Member, key: string = this.heir): Promise<Answer> {
    const data = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [[this.heir], 1n] });
    const call = { chainId: world.b.id, to: world.b.currency('USDC'), value: '0', data };
    const reply = await fetch(`${rest.baseUrl}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': rest.apiKey, 'Idempotency-Key': key },
      body: JSON.stringify({ executionKind: 'rawCalls', data: call }),
    });
    return { status: reply.status, body: (await reply.json()) as Answer['body'] };
  }

  /** Again while the process has no room for it, as clients do. */
  async insist(member: Member): Promise<Answer> {
    return until('there is room', async () => {
      const answer = await this.post(member);
      return answer.status === 503 ? undefined : answer;
    });
  }

  made(): Promise<bigint> {
    return world.b.balance(this.heir, 'USDC');
  }
}

const some = (count: number) => Array.from({ length: count }, () => new Call());
const nth = (n: number): Member => pg.member(n % pg.members.length);
const sent = () => world.b.client.getTransactionCount({ address: world.keys.executor.address, blockTag: 'pending' });

async function asOperator(path: string, body: object): Promise<void> {
  const { baseUrl, adminKey } = world.rest;
  const headers = { 'content-type': 'application/json', 'x-admin-key': adminKey };
  const reply = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
}

/** Credits or debits until this much is left, micro-USD. */
async function leave(amount: bigint): Promise<void> {
  const { balance } = await integrator.balance();
  const by = amount - balance;
  const change = { integratorId: integrator.id, reason: 'test', changeId: `leaves-${amount}` };
  if (by > 0n) await asOperator('/admin/balances/credit', { ...change, amount: by.toString() });
  if (by < 0n) await asOperator('/admin/balances/debit', { ...change, amount: (-by).toString() });
}

/** Ended, with all reservations. */
async function settled(): Promise<bigint> {
  return until(
    'no reservation is open',
    async () => {
      await world.finalise();
      const { balance, reserved } = await integrator.balance();
      return reserved === 0n ? balance : undefined;
    },
    { ms: 60_000, every: 200 },
  );
}

async function becomes(requestId: string, status: string): Promise<void> {
  await until(
    `${requestId} becomes ${status}`,
    async () => {
      await world.finalise();
      const rest = pg.members.find(({ service }) => service.alive)?.rest ?? world.rest;
      return (await rest.status(requestId)).status === status;
    },
    { ms: 60_000, every: 200 },
  );
}

describe('two processes with one app balance', () => {
  it('sponsor no more calls than it holds, of many at once, and make each once', { timeout: 180_000 }, async () => {
    // Nothing is included, so nothing settles, while the answers come.
    await world.b.manual();
    const first = new Call();
    expect(await first.post(nth(0))).toMatchObject({ status: 200 });
    // A few gas more or less, by the zeros in an address.
    const { reserved: each } = await integrator.balance();
    // Debits leave what is reserved.
    await leave(each * BigInt(ALLOWED) + each / 2n);
    const calls = some(ASKED);
    let least = 0n;
    let watching = true;
    const watch = (async () => {
      while (watching) {
        const seen = await integrator.balance().catch(() => undefined);
        if (seen && seen.balance - seen.reserved < least) least = seen.balance - seen.reserved;
      }
    })();
    const answers = await Promise.all(calls.map((call, n) => call.insist(nth(n))));
    watching = false;
    await watch;
    expect(least).toBe(0n);
    const accepted = calls.filter((_, n) => answers[n]?.status === 200);
    expect(accepted).toHaveLength(ALLOWED - 1);
    for (const { status, body } of answers.filter((one) => one.status !== 200))
      expect([status, body.error]).toEqual([400, 'SPONSOR_BALANCE_TOO_LOW']);
    const { balance, reserved } = await integrator.balance();
    expect(reserved).toBeLessThanOrEqual(balance);
    expect(balance - reserved).toBeLessThan(each);

    // The same ones again, at the other process: what was accepted has its answer, what was not may not begin.
    for (const [n, call] of accepted.entries()) expect(await call.post(nth(n))).toMatchObject({ status: 200 });
    await world.b.automatic();
    for (const { body } of answers)
      if (body.requestId && body.error === undefined) await becomes(body.requestId, 'success');
    const left = await settled();
    expect(left).toBeGreaterThanOrEqual(0n);
    for (const call of [first, ...accepted]) expect(await call.made()).toBe(1n);
    for (const call of calls) if (!accepted.includes(call)) expect(await call.made()).toBe(0n);
    expect(await sent()).toBe(ALLOWED);
    expect(await world.rest.audit()).toMatchObject({ balanced: true });
  });

  it('make a call once that is posted to both at once', async () => {
    await leave(FIRST);
    const [before, call] = [await sent(), new Call()];
    const answers = await Promise.all([0, 1, 0, 1].map((n) => call.post(nth(n))));
    const accepted = answers.filter(({ status }) => status === 200);
    expect(new Set(accepted.map(({ body }) => body.requestId)).size).toBe(1);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    await becomes(accepted[0]?.body.requestId ?? '', 'success');
    await settled();
    expect([await call.made(), await sent()]).toEqual([1n, before + 1]);
  });

  it('use a permit once that is posted to both at once', async () => {
    const user = newUser();
    await fund(world.a, user.address, { USDC: usd('100'), ETH: 0n });
    const ask = { from: world.a, input: 'USDC', amount: usd('40'), user, body: { usePermit: true } };
    const order = await world.order(ask, nth(0).rest);
    const signature = await signPermit(user, order.quote);
    const posted = await Promise.allSettled(
      [0, 1, 0, 1].map((n) => postPermit({ rest: nth(n).rest }, order.quote, signature)),
    );
    expect(posted.some(({ status }) => status === 'fulfilled')).toBe(true);
    for (const one of posted)
      if (one.status === 'rejected') expect((one.reason as Error).message).toMatch(/answered (409|429)/);
    await becomes(order.requestId, 'success');
    await world.finalise();
    expect(await world.a.balance(user.address, 'USDC')).toBe(usd('60'));
    expect(await world.b.balance(order.recipient, 'USDC')).toBe(order.amountOut);
  });

  it('sponsor no more quotes than it holds', { timeout: 120_000 }, async () => {
    const orders: Order[] = [];
    for (let n = 0; n < 6; n += 1) {
      const ask = { from: world.a, input: 'USDC', amount: usd('100'), keyed: true, body: { subsidizeFees: true } };
      orders.push(await until('a quote is given', () => world.order(ask, nth(n).rest)));
    }
    const fee = BigInt(orders[0]?.quote.fees.subsidized.amount ?? '0');
    expect(fee).toBeGreaterThan(0n);
    await settled();
    await leave(fee * 2n + fee / 2n);
    for (const one of orders) await pay(one.from, one.user, one.quote);
    for (const one of orders) await becomes(one.requestId, 'success');
    const whole = await Promise.all(
      orders.map(async (one) => (await world.b.balance(one.recipient, 'USDC')) === one.amountOut),
    );
    // Of the others the users pay the fees themselves. What is reserved may be more than was quoted, so two may not fit.
    expect([1, 2]).toContain(whole.filter(Boolean).length);
    expect(await settled()).toBeGreaterThanOrEqual(0n);
    expect(await world.rest.audit()).toMatchObject({ balanced: true });
  });

  it('make each call once where the one that sends them is killed', { timeout: 180_000 }, async () => {
    await leave(FIRST * 2n);
    const before = await sent();
    const scope = sending();
    for (let round = 0; round < 2; round += 1) {
      const sender = await until('one process sends calls', () => pg.members.find((one) => holds(one, scope)));
      const other = pg.members.find((one) => one !== sender) as Member;
      const calls = some(20);
      const answers = await Promise.all(calls.map((call, n) => call.post(n % 2 === 0 ? sender : other)));
      for (const { status } of answers) expect(status).toBe(200);
      await sender.service.kill();
      // It accepts meanwhile, and then sends too.
      const late = some(5);
      for (const call of late) answers.push(await call.post(other));
      for (const { body } of answers) await becomes(body.requestId ?? '', 'success');
      for (const call of [...calls, ...late]) expect(await call.made()).toBe(1n);
      await sender.boot();
    }
    await settled();
    expect(await sent()).toBe(before + 50);
    expect(await world.rest.audit()).toMatchObject({ balanced: true });
  });
});

/** Scope of the lease under which calls of the second chain are sent. */
const sending = (): string => `lane:${world.b.id}:${world.keys.executor.address.toLowerCase()}`;

function holds({ service }: Member, scope: string): boolean {
  if (!service.alive) return false;
  const lines = service.output.split('\n').filter((line) => line.includes(`"scope":"${scope}"`));
  return lines.at(-1)?.includes('"msg":"lease held"') === true;
}

it('afterwards the chains show nothing lost and nothing doubled', async () => {
  await world.finalise();
  expect(await world.verdict()).toEqual([]);
});
