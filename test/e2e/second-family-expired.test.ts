import { parseUnits } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../support/families/svm-history.js';
import { FamiliesWorld } from '../support/families/world.js';

let world: FamiliesWorld;

const SLOT_MS = 50;
/** Blocks that a message lives. */
const LIFE = 150;

beforeAll(async () => {
  world = await FamiliesWorld.start({ proxied: true, slotMs: SLOT_MS, orderTtl: '25s' });
});

afterAll(async () => {
  await world?.close();
});

it('a message that ran out before a node heard of it: nothing lands, and the deposit comes back once', async () => {
  const proxy = world.proxy(world.t);
  // The node says that it took the message and never heard of it, as where a leader drops what it is sent.
  proxy.plan = ({ method }) => (method === 'sendTransaction' ? { result: 'lost' } : 'pass');
  const amount = parseUnits('90', 6);
  const order = await world.order({ from: world.evm, to: world.t, input: 'USDC', output: 'USDC', amount });
  await order.from.pay(order.payer, order.quote);
  const { failReason } = await world.becomes(order, 'refund', 120_000);
  expect(failReason).toBe('TRANSACTION_NOT_INCLUDED');
  // The same bytes over and over while they might land, and never after: nothing else was signed beside them.
  const sends = proxy.calls.filter(({ method }) => method === 'sendTransaction');
  expect(new Set(sends.map(({ params }) => params[0])).size).toBe(1);
  expect(sends.length).toBeGreaterThan(1);
  expect((sends.at(-1)?.at ?? 0) - (sends[0]?.at ?? 0)).toBeLessThan(3 * LIFE * SLOT_MS);
  // They reach the node now, and are of no use to anybody.
  proxy.heal();
  const [bytes] = sends.map(({ params }) => params[0]);
  await call(world.t.url, 'sendTransaction', [bytes, { encoding: 'base64', skipPreflight: true }]).catch(() => {});
  expect(await order.to.balance(order.recipient, 'USDC')).toBe(0n);
  const back = await order.from.balance(order.refundTo, 'USDC');
  expect(back).toBeLessThan(amount);
  expect(back).toBeGreaterThan((amount * 9n) / 10n);
  expect(await world.verdict()).toEqual([]);
}, 200_000);
