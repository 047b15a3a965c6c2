import { loseAnswerTo, type TcpProxy } from '@causeway/core/testing';
import { parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sleep, until } from '../support/until.js';
import { depositDirectly, pay } from '../support/wallet.js';
import type { Order, World } from '../support/world.js';
import { PgWorld } from './support/pg-world.js';

let pg: PgWorld;
let world: World;
let database: TcpProxy;

beforeAll(async () => {
  pg = await PgWorld.prepare(1, 1_000, { collectMinUsd: '1000000000' });
  ({ world } = pg);
  ({ database } = pg.member(0));
  await pg.member(0).boot();
});

afterEach(async () => {
  database?.heal();
  await world?.b.automatic();
});

afterAll(async () => {
  await pg?.close();
});

const AMOUNT = parseEther('0.5');

async function filledOnce(order: Order): Promise<void> {
  await world.becomes(order, 'success', { ms: 30_000 });
  await world.finalise();
  expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
}

async function refundedOnce(order: Order): Promise<void> {
  await world.becomes(order, 'refund', { mining: true, ms: 30_000 });
  const back = await world.a.balance(order.refundTo, 'ETH');
  expect(back).toBeGreaterThan(AMOUNT / 3n);
  expect(back).toBeLessThan(AMOUNT / 2n);
}

/** Quotes may be refused briefly after the database comes back. */
async function order(): Promise<Order> {
  return until('a quote is given', async () => {
    await world.finalise();
    return world.order({ amount: AMOUNT });
  });
}

interface Stages {
  readonly unseen: Order;
  readonly waiting: Order;
  readonly refunded: Order;
}

async function stages(): Promise<Stages> {
  const [unseen, waiting, refunded] = [await order(), await order(), await order()];
  await world.b.manual();
  await pay(waiting.from, waiting.user, waiting.quote);
  await world.becomes(waiting, 'submitted');
  return { unseen, waiting, refunded };
}

async function proceed({ unseen, refunded }: Stages): Promise<void> {
  await pay(unseen.from, unseen.user, unseen.quote);
  await depositDirectly(world.a, refunded.user, { symbol: 'ETH', amount: AMOUNT / 2n, id: refunded.orderId });
  await world.b.automatic();
}

async function allEnd({ unseen, waiting, refunded }: Stages): Promise<void> {
  await filledOnce(waiting);
  await filledOnce(unseen);
  await refundedOnce(refunded);
}

async function sentOnB(): Promise<number> {
  return world.b.client.getTransactionCount({ address: world.keys.fill.address, blockTag: 'pending' });
}

describe('connections to the database', () => {
  it('that are reset again and again: everything ends once', async () => {
    const all = await stages();
    const resets = (async () => {
      for (let n = 0; n < 8; n += 1) {
        database.reset();
        await sleep(120);
      }
    })();
    await proceed(all);
    await resets;
    await allEnd(all);
  });

  it('that are slow: everything ends once', async () => {
    const all = await stages();
    database.throttle = { delayMs: 20 };
    await proceed(all);
    await allEnd(all);
  });

  it.each([
    ['shorter than a lease', 1_500],
    ['longer than a lease and any deadline', 4_500],
  ])('that go half-open for %s: nothing is sent unwritten, and everything ends once', async (_what, ms) => {
    const all = await stages();
    database.blackHole();
    await sleep(100);
    const sent = await sentOnB();
    await proceed(all);
    await sleep(ms);
    expect(await sentOnB()).toBe(sent);
    database.heal();
    await allEnd(all);
  });

  it('that stay dead permanently while new ones work: everything ends once', async () => {
    const all = await stages();
    const dead = database.accepted;
    database.plan = ({ connection }) => (connection <= dead ? 'freeze' : 'pass');
    await proceed(all);
    await allEnd(all);
  });

  it('that cannot be made for some time: everything ends once', async () => {
    const all = await stages();
    await database.stop();
    const sent = await sentOnB();
    await proceed(all);
    await sleep(2_000);
    expect(await sentOnB()).toBe(sent);
    await database.start();
    await allEnd(all);
  });
});

/** One change set is one call of the apply function; its reply is the commit. */
const applies = (bytes: Buffer) => bytes.includes('apply\0');

function loseNthReply(n: number): () => number {
  let seen = 0;
  let lost = 0;
  const lose = loseAnswerTo((bytes) => {
    if (!applies(bytes)) return false;
    seen += 1;
    return seen === n;
  });
  database.plan = (chunk) => {
    const fate = lose(chunk);
    if (fate === 'cut') lost += 1;
    return fate;
  };
  return () => lost;
}

describe('a connection that is cut between commit and reply', () => {
  it.each([1, 2, 3, 4, 5])('at change set %i after the deposit: the order is filled exactly once', async (n) => {
    const one = await order();
    const lost = loseNthReply(n);
    await pay(one.from, one.user, one.quote);
    await filledOnce(one);
    expect(lost()).toBe(1);
  });

  it.each([1, 2, 3, 4])('at change set %i of a refund: it is paid exactly once', async (n) => {
    const one = await order();
    const lost = loseNthReply(n);
    await depositDirectly(world.a, one.user, { symbol: 'ETH', amount: AMOUNT / 2n, id: one.orderId });
    await refundedOnce(one);
    expect(lost()).toBe(1);
  });

  it('every time for some time: everything ends once', async () => {
    const all = await stages();
    database.plan = loseAnswerTo(applies, 8);
    await proceed(all);
    await allEnd(all);
  });
});

describe('a database server', () => {
  it.each(['fast', 'crash'] as const)('that ends (%s) and comes back: everything ends once', async (how) => {
    const all = await stages();
    await pg.server.halt(how);
    const sent = await sentOnB();
    await proceed(all);
    await sleep(1_500);
    expect(await sentOnB()).toBe(sent);
    await pg.server.resume();
    await allEnd(all);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
