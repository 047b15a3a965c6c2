import { first, only } from '@causeway/core/testing';
import { parseUnits } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectionOf } from '../../core/src/store/sqlite/connection.js';
import { closeDatabase, openDatabase } from '../../core/src/store/sqlite/open.js';
import { call } from '../support/families/svm-history.js';
import { FamiliesWorld, type Order } from '../support/families/world.js';

const READ_ONLY = 1;

let world: FamiliesWorld;

/** Slow enough that a message outlives a restart. */
const SLOT_MS = 80;

beforeAll(async () => {
  world = await FamiliesWorld.prepare({
    ...{ proxied: true, slotMs: SLOT_MS, orderTtl: '300s' },
    // No collects: they would reach the crash points first.
    collectMinUsd: '1000000000',
  });
});

afterEach(async () => {
  await world?.service.kill();
  world.proxy(world.t).heal();
});

afterAll(async () => {
  await world?.close();
});

const AMOUNT = parseUnits('90', 6);

const order = () => world.order({ from: world.evm, to: world.t, input: 'USDC', output: 'USDC', amount: AMOUNT });

/** Transactions of the fill signer that carry the order in a memo, as its node lists them, failed ones included. */
async function carrying({ orderId }: Order): Promise<readonly string[]> {
  const listed = await call<readonly { readonly signature: string; readonly memo: string | null }[]>(
    world.t.url,
    'getSignaturesForAddress',
    [world.t.solver, { limit: 1_000, commitment: 'confirmed' }],
  );
  return listed.filter(({ memo }) => memo?.includes(orderId)).map(({ signature }) => signature);
}

/** By the chain: one transaction ever carried the order, and it paid what was promised. */
async function filledOnce(one: Order): Promise<string> {
  const { txHashes } = await world.becomes(one, 'success', 60_000);
  const found = await carrying(one);
  expect(found).toHaveLength(1);
  expect(txHashes).toEqual(found);
  expect(await one.to.balance(one.recipient, one.output)).toBe(one.amountOut);
  return found[0] as string;
}

/** Every fill that was offered to the node, in order, as its bytes. */
function offered(from = 0): readonly string[] {
  const calls = world.proxy(world.t).calls.slice(from);
  return calls.filter(({ method }) => method === 'sendTransaction').map(({ params }) => String(params[0]));
}

/** What the ledger has signed for a chain, newest last. Read while the service is down. */
async function signedBytes(): Promise<readonly string[]> {
  const database = await openDatabase(world.database, READ_ONLY);
  try {
    const rows = await connectionOf(database).all('select bytes from attempts where chain_id = ? order by rowid', [
      world.t.id,
    ]);
    return rows.map((row) => String((row as { readonly bytes: unknown }).bytes));
  } finally {
    await closeDatabase(database);
  }
}

// Every test starts the service anew: after a start it rests for 182 slots before it signs.

describe('a node that takes a fill and whose answer is lost', () => {
  it.each(['dropAfter', { delayMs: 6_000 }] as const)(
    '(%j) has it once',
    async (fault) => {
      await world.boot();
      const one = await order();
      const proxy = world.proxy(world.t);
      const from = proxy.calls.length;
      proxy.plan = only('sendTransaction', first(1, fault));
      await one.from.pay(one.payer, one.quote);
      await filledOnce(one);
      proxy.heal();
      expect(new Set(offered(from)).size).toBe(1);
    },
    90_000,
  );
});

describe.each(['store.engine.settle.sign.after', 'chain.send.before', 'chain.send.after'])('kill -9 at %s', (point) => {
  it('and a restart send the very bytes that were durable, once', async () => {
    const before = new Set(await signedBytes());
    await world.boot({ CAUSEWAY_CRASH_AT: point });
    const proxy = world.proxy(world.t);
    const from = proxy.calls.length;
    const one = await order();
    await one.from.pay(one.payer, one.quote);
    expect(await world.service.end('at the crash point', 30_000)).toEqual({ code: null, signal: 'SIGKILL' });
    const durable = (await signedBytes()).filter((bytes) => !before.has(bytes));
    expect(durable).toHaveLength(1);
    if (point !== 'chain.send.after') {
      expect(offered(from)).toEqual([]);
      expect(await carrying(one)).toEqual([]);
    }
    await world.boot();
    await filledOnce(one);
    expect(new Set(offered(from))).toEqual(new Set(durable));
  }, 90_000);
});

describe('afterwards', () => {
  it('the chains tell of nothing lost and nothing doubled', async () => {
    expect(await world.verdict()).toEqual([]);
  });
});
