import { parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { World } from '../support/world.js';
import { askedFor, delivered, play, sdkOf, sdkOrder, unserved } from './sdk.js';

let world: World;

beforeAll(async () => {
  world = await World.start({ venues: true });
});

beforeEach(async () => {
  await sdkOf(world);
});

afterEach(() => {
  expect(unserved).toEqual([]);
});

afterAll(async () => {
  await world?.close();
});

it.each([
  ['wraps', 'ETH', 'WETH', 'wrap'],
  ['unwraps', 'WETH', 'ETH', 'unwrap'],
] as const)('the SDK %s native coin on one chain', async (_, input, output, operation) => {
  const amount = parseEther('0.4');
  const user = await world.user(input === 'WETH' ? { WETH: amount } : {});
  const order = await sdkOrder(world, { user, input, output, to: world.a, amount });
  expect(order.quote.details).toMatchObject({ operation });

  const played = await play(world, order);
  // Within one chain the SDK relies on its receipts, and reports each to the service.
  expect(askedFor('/transactions/single')).toHaveLength(order.quote.steps.flatMap(({ items }) => items).length);
  await world.becomes(order, 'success');
  await delivered(world, order, played);

  expect(await world.a.balance(order.recipient, output)).toBe(order.amountOut);
  expect(order.amountOut).toBeGreaterThan(parseEther('0.399'));
  if (input === 'WETH') expect(await world.a.balance(user.address, 'WETH')).toBe(0n);
});

it('leaves all books right', async () => {
  expect(await world.verdict()).toEqual([]);
});
