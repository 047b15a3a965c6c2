import { join } from 'node:path';
import { parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectionOf } from '../../core/src/store/sqlite/connection.js';
import { closeDatabase, openDatabase } from '../../core/src/store/sqlite/open.js';
import { sleep, until } from '../support/until.js';
import { depositDirectly, pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';
import { type DiskFault, TinyDisk, unwritable } from './support/tiny-disk.js';

const READ_WRITE = 2;

let world: World;
let database: string;
const disk = TinyDisk.possible ? new TinyDisk(12) : undefined;

beforeAll(async () => {
  world = await World.prepare();
  database = disk === undefined ? world.home.database : join(disk.dir, 'causeway.db');
  world.configure({
    collectMinUsd: '1000000000',
    edit: (document) => {
      const service = document['service'] as Record<string, unknown>;
      // Quotes stop long before so small a disk is full, so the limit is off here.
      return { ...document, service: { ...service, database: { file: database, leastFreeMb: 0 } } };
    },
  });
  await world.boot();
});

afterEach(async () => {
  await world?.b.automatic();
});

afterAll(async () => {
  await world?.close();
  disk?.remove();
});

const AMOUNT = parseEther('0.5');

async function filledOnce(order: Order): Promise<void> {
  await world.becomes(order, 'success', { ms: 30_000 });
  await world.finalise();
  expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
}

async function refundedOnce(order: Order, deposited: bigint): Promise<void> {
  await world.becomes(order, 'refund', { mining: true, ms: 30_000 });
  const back = await world.a.balance(order.refundTo, 'ETH');
  expect(back).toBeGreaterThan((deposited * 9n) / 10n);
  expect(back).toBeLessThan(deposited);
}

/** Another program holds the write lock, as a backup or a shell does. */
async function lockedFor(ms: number, meanwhile: () => Promise<void>): Promise<void> {
  const other = await openDatabase(database, READ_WRITE);
  const connection = connectionOf(other);
  await connection.run('pragma busy_timeout = 5000');
  await connection.run('begin immediate');
  try {
    await meanwhile();
    await sleep(ms);
    await connection.run('rollback');
  } finally {
    await closeDatabase(other);
  }
}

async function sentOnB(): Promise<number> {
  return world.b.client.getTransactionCount({ address: world.keys.fill.address, blockTag: 'pending' });
}

describe('a database that another program locks', () => {
  it.each([2_000, 8_000])('for %i ms, with requests in every stage: all end exactly once', async (ms) => {
    const unpaid = await world.order({ amount: AMOUNT });
    const refunded = await world.order({ amount: AMOUNT });
    await world.b.manual();
    const waiting = await world.order({ amount: AMOUNT });
    await pay(waiting.from, waiting.user, waiting.quote);
    await world.becomes(waiting, 'submitted');

    let sent = 0;
    await lockedFor(ms, async () => {
      sent = await sentOnB();
      await pay(unpaid.from, unpaid.user, unpaid.quote);
      await depositDirectly(world.a, refunded.user, { symbol: 'ETH', amount: AMOUNT / 2n, id: refunded.orderId });
      await world.b.automatic();
      await sleep(1_000);
      // Nothing is sent that cannot be recorded.
      expect(await sentOnB()).toBe(sent);
    });

    await filledOnce(waiting);
    await filledOnce(unpaid);
    await refundedOnce(refunded, AMOUNT / 2n);
  });
});

const FAULTS: readonly (readonly [string, DiskFault])[] = [
  ['cannot be written', unwritable],
  ...(disk === undefined ? [] : ([['is full', disk]] as const)),
];

describe.each(FAULTS)('a disk that %s', (_what, fault) => {
  it('stops work safely, and the service resumes by itself when it can write again', async () => {
    const paid = await world.order({ amount: AMOUNT });
    const refunded = await world.order({ amount: AMOUNT });
    await world.b.manual();
    const waiting = await world.order({ amount: AMOUNT });
    await pay(waiting.from, waiting.user, waiting.quote);
    await world.becomes(waiting, 'submitted');

    fault.begin(world.service.pid);
    try {
      // Files that were larger still have free space inside.
      await until('quotes cannot be written', async () => (await refusedQuote(paid)) >= 500, { every: 1 });
      const sent = await sentOnB();
      await pay(paid.from, paid.user, paid.quote);
      await depositDirectly(world.a, refunded.user, { symbol: 'ETH', amount: AMOUNT / 2n, id: refunded.orderId });
      await world.b.automatic();
      await sleep(2_500);
      expect(await sentOnB()).toBe(sent);
      expect(world.service.alive).toBe(true);
    } finally {
      fault.end(world.service.pid);
    }

    await filledOnce(waiting);
    await filledOnce(paid);
    await refundedOnce(refunded, AMOUNT / 2n);
  });
});

async function refusedQuote(like: Order): Promise<number> {
  const reply = await world.rest.refusedQuote({
    user: like.user.address,
    recipient: like.recipient,
    originChainId: like.from.id,
    destinationChainId: like.to.id,
    originCurrency: like.from.currency('ETH'),
    destinationCurrency: like.to.currency('ETH'),
    amount: AMOUNT.toString(),
    tradeType: 'EXACT_INPUT',
  });
  return reply.status;
}

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
