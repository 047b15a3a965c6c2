import { parseEther, parseUnits } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { fund, newUser } from '../support/wallet.js';
import { World } from '../support/world.js';
import { askedFor, play, sdkOf, sdkOrder, unserved } from './sdk.js';

let world: World;

beforeAll(async () => {
  world = await World.start({ gasless: true, permits: true });
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
  ['USDC', 0n],
  // For the approval of Permit2.
  ['USDT', parseEther('1')],
] as const)('the SDK deposits %s by a signature', async (input, coin) => {
  const amount = parseUnits('25', 6);
  const user = newUser();
  await fund(world.a, user.address, { ETH: coin, [input]: amount });
  const order = await sdkOrder(world, { user, input, output: 'USDC', amount, options: { usePermit: true } });
  await play(world, order);
  await world.becomes(order, 'success');
  expect(askedFor('/execute/permits')).toHaveLength(1);
  expect(await world.b.balance(order.recipient, 'USDC')).toBe(order.amountOut);
  expect(await world.a.balance(user.address, input)).toBe(0n);
});

it('leaves all books right', async () => {
  expect(await world.verdict()).toEqual([]);
});
