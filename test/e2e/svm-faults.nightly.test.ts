import { first, only } from '@causeway/core/testing';
import { parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectionOf } from '../../core/src/store/sqlite/connection.js';
import { closeDatabase, openDatabase } from '../../core/src/store/sqlite/open.js';
import { call } from '../support/families/svm-history.js';
import { FamiliesWorld, type Order } from '../support/families/world.js';
import { until } from '../support/until.js';

const READ_ONLY = 1;

/** One per parallel case: a started service rests for 182 slots before it signs. */
const worlds: FamiliesWorld[] = [];

async function newWorld(): Promise<FamiliesWorld> {
  const world = await FamiliesWorld.prepare({
    ...{ proxied: true, svm: 1, orderTtl: '300s' },
    // No collects: they would reach the crash points first.
    collectMinUsd: '1000000000',
  });
  worlds.push(world);
  return world;
}

afterAll(async () => {
  await Promise.all(worlds.map((world) => world.close()));
});

const AMOUNT = parseUnits('90', 6);

const orderOf = (world: FamiliesWorld) =>
  world.order({ from: world.evm, to: world.s, input: 'USDC', output: 'USDC', amount: AMOUNT });

/** Listed fill signer transactions with the order in a memo, failed ones included. */
async function carrying(world: FamiliesWorld, { orderId }: Order): Promise<readonly string[]> {
  const listed = await call<readonly { readonly signature: string; readonly memo: string | null }[]>(
    world.s.url,
    'getSignaturesForAddress',
    [world.s.solver, { limit: 1_000, commitment: 'confirmed' }],
  );
  return listed.filter(({ memo }) => memo?.includes(orderId)).map(({ signature }) => signature);
}

/** By the chain: exactly one transaction carried the order, and it paid what was promised. */
async function filledOnce(world: FamiliesWorld, one: Order): Promise<string> {
  const { txHashes } = await world.becomes(one, 'success', 60_000);
  const found = await carrying(world, one);
  expect(found).toHaveLength(1);
  expect(txHashes).toEqual(found);
  expect(await one.to.balance(one.recipient, one.output)).toBe(one.amountOut);
  return found[0] as string;
}

function offered(world: FamiliesWorld, from = 0): readonly string[] {
  const calls = world.proxy(world.s).calls.slice(from);
  return calls.filter(({ method }) => method === 'sendTransaction').map(({ params }) => String(params[0]));
}

/** Newest last. Read while the service is down. */
async function signedBytes(world: FamiliesWorld): Promise<readonly string[]> {
  const database = await openDatabase(world.database, READ_ONLY);
  try {
    const rows = await connectionOf(database).all('select bytes from attempts where chain_id = ? order by rowid', [
      world.s.id,
    ]);
    return rows.map((row) => String((row as { readonly bytes: unknown }).bytes));
  } finally {
    await closeDatabase(database);
  }
}

describe.concurrent('a node that takes a fill and whose answer is lost', () => {
  let world: FamiliesWorld;

  beforeAll(async () => {
    world = await newWorld();
    await world.boot();
  });

  it.sequential.each(['dropAfter', { delayMs: 6_000 }] as const)(
    '(%j) has it once',
    async (fault) => {
      const proxy = world.proxy(world.s);
      const one = await orderOf(world);
      const from = proxy.calls.length;
      proxy.plan = only('sendTransaction', first(1, fault));
      await one.from.pay(one.payer, one.quote);
      await until('it is offered', () => offered(world, from).length > 0, { ms: 60_000, every: 20 });
      // Prevents expiry before the node has it.
      await world.s.standStill();
      await until('it arrives', async () => (await one.to.balance(one.recipient, one.output)) > 0n);
      await world.s.goOn();
      await filledOnce(world, one);
      proxy.heal();
      expect(new Set(offered(world, from)).size).toBe(1);
    },
    120_000,
  );
});

describe.concurrent.each(['store.engine.settle.sign.after', 'chain.send.before', 'chain.send.after'])(
  'kill -9 at %s',
  (point) => {
    it('and a restart send the very bytes that were durable, once', async () => {
      const world = await newWorld();
      await world.boot({ CAUSEWAY_CRASH_AT: point });
      const one = await orderOf(world);
      await one.from.pay(one.payer, one.quote);
      expect(await world.service.end('at the crash point', 60_000)).toEqual({ code: null, signal: 'SIGKILL' });
      // Prevents expiry while the service restarts.
      await world.s.standStill();
      const durable = await signedBytes(world);
      expect(durable).toHaveLength(1);
      if (point !== 'chain.send.after') {
        expect(offered(world)).toEqual([]);
        expect(await carrying(world, one)).toEqual([]);
      }
      await world.boot();
      await world.s.goOn();
      await filledOnce(world, one);
      expect(new Set(offered(world))).toEqual(new Set(durable));
    }, 120_000);
  },
);

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    expect(worlds).toHaveLength(4);
    await Promise.all(worlds.map(({ service }) => service.kill()));
    expect(await Promise.all(worlds.map((world) => world.verdict()))).toEqual(worlds.map(() => []));
  });
});
