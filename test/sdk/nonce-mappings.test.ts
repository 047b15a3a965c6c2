import { parseUnits } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nextNonce } from '../support/nonce-mappings.js';
import { fund, newUser } from '../support/wallet.js';
import { World } from '../support/world.js';
import { askedFor, play, sdkOf, sdkOrder, unserved } from './sdk.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
  await sdkOf(world);
});

afterAll(async () => {
  await world?.close();
});

it('the SDK signs which transaction pays, posts that, and sends the transfer', async () => {
  const amount = parseUnits('25', 6);
  const user = newUser();
  await fund(world.a, user.address, { USDC: amount });
  const options = { useNonceMapping: true };
  const order = await sdkOrder(world, { user, input: 'USDC', amount, options });
  const nonce = await nextNonce(world.a, user);
  world.mapped.push({ chainId: world.a.id, sender: user.address, nonce, orderId: order.orderId });
  await play(world, order);
  await world.becomes(order, 'success');
  expect(askedFor('/authorize')).toHaveLength(1);
  expect(unserved).toEqual([]);
  expect(await world.b.balance(order.recipient, 'USDC')).toBe(order.amountOut);
  expect(await world.a.balance(user.address, 'USDC')).toBe(0n);
});

it('leaves all books right', async () => {
  expect(await world.verdict()).toEqual([]);
});
