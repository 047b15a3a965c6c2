import { parseUnits } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../support/families/svm-history.js';
import { FamiliesWorld } from '../support/families/world.js';

let world: FamiliesWorld;

const SLOT_MS = 50;
/** Blocks until a message expires. */
const LIFE = 150;

beforeAll(async () => {
  world = await FamiliesWorld.start({ proxied: true, slotMs: SLOT_MS });
});

afterAll(async () => {
  await world?.close();
});

it('a message that expired before any node received it is signed again: one fill, by the chain itself', async () => {
  const proxy = world.proxy(world.t);
  const lost = new Set<unknown>();
  // The node accepts the message and drops it, as some leaders do.
  proxy.plan = ({ method, params: [bytes] }) => {
    if (method !== 'sendTransaction' || (lost.size > 0 && !lost.has(bytes))) return 'pass';
    lost.add(bytes);
    return { result: 'lost' };
  };
  const amount = parseUnits('90', 6);
  const order = await world.order({ from: world.evm, to: world.t, input: 'USDC', output: 'USDC', amount });
  await order.from.pay(order.payer, order.quote);
  await world.becomes(order, 'success', 120_000);
  // The same bytes until their expiry, then others, and never the first again.
  const sends = proxy.calls.filter(({ method }) => method === 'sendTransaction');
  const bytes = [...new Set(sends.map(({ params }) => params[0]))];
  expect(bytes).toHaveLength(2);
  const [first, second] = bytes.map((each) => sends.filter(({ params }) => params[0] === each));
  expect(first?.length).toBeGreaterThan(1);
  expect(second?.[0]?.at).toBeGreaterThan(first?.at(-1)?.at ?? Number.NaN);
  expect((second?.[0]?.at ?? 0) - (first?.[0]?.at ?? 0)).toBeGreaterThan(LIFE * SLOT_MS);
  // They reach the node after their expiry.
  proxy.heal();
  await call(world.t.url, 'sendTransaction', [bytes[0], { encoding: 'base64', skipPreflight: true }]).catch(() => {});
  expect(await order.to.balance(order.recipient, 'USDC')).toBe(BigInt(order.quote.details.currencyOut.amount));
  expect(await world.verdict()).toEqual([]);
}, 200_000);
