import { parseEther } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FamiliesWorld } from '../support/families/world.js';
import { until } from '../support/until.js';

/** Many fills on an SVM chain at once: they share messages, and each is found by its own order. */
let world: FamiliesWorld;

const ORDERS = 9;

beforeAll(async () => {
  world = await FamiliesWorld.start({ edit: sharing });
});

afterAll(async () => {
  await world?.close();
});

interface Entry {
  readonly use: string;
  readonly options: { readonly chains: readonly object[] };
}

function sharing(document: Record<string, unknown>): Record<string, unknown> {
  const plugins = (document.plugins as readonly Entry[]).map((entry) => {
    if (!entry.use.endsWith('svm')) return entry;
    const chains = entry.options.chains.map((chain) => ({ ...chain, batches: { least: 2 } }));
    return { ...entry, options: { ...entry.options, chains } };
  });
  return { ...document, plugins };
}

it('fills that are due together share messages, and the chains show each of them once', async () => {
  const { evm: from, s: to } = world;
  const orders = await Promise.all(
    Array.from({ length: ORDERS }, () => world.order({ from, to, amount: parseEther('0.1') })),
  );
  const { client } = from.chain;
  await client.setAutomine(false);
  const paid = orders.map((order) => from.pay(order.payer, order.quote));
  await until('all payments to wait', async () => Number((await client.getTxpoolStatus()).pending) === ORDERS);
  await client.mine({ blocks: 1 });
  await Promise.all(paid);
  await client.setAutomine(true);
  const reported = [];
  for (const order of orders) reported.push(await world.becomes(order, 'success', 60_000));
  const hashes = reported.flatMap(({ txHashes }) => txHashes ?? []);
  expect(hashes).toHaveLength(ORDERS);
  expect(new Set(hashes).size).toBeLessThan(ORDERS);
  for (const order of orders) expect(await to.balance(order.recipient, order.output)).toBe(order.amountOut);
  expect(await world.verdict()).toEqual([]);
}, 180_000);
