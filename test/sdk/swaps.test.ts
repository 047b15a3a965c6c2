import { parseEther, parseUnits } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { World } from '../support/world.js';
import { askedFor, delivered, play, sdkOf, sdkOrder, unserved } from './sdk.js';

let world: World;

beforeAll(async () => {
  world = await World.start({ venues: true, payerSwaps: true, swappedIn: ['GOV'] });
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

const usd = (amount: string) => parseUnits(amount, 6);

it('the SDK brings what is in pools alone to another chain, by a swap in the fill', async () => {
  const user = await world.user({ USDC: usd('300') });
  const order = await sdkOrder(world, { user, input: 'USDC', output: 'GOV', amount: usd('300') });
  const { details, steps } = order.quote;
  expect(details).toMatchObject({
    operation: 'swap',
    route: { destination: { router: expect.stringMatching(/^uniswap-v[23]$/) } },
  });
  expect(steps.map(({ id }) => id)).toEqual(['approve', 'deposit']);

  await delivered(world, order, await play(world, order));
  expect(await world.b.balance(world.keys.fill.address, 'GOV')).toBe(0n);
  expect(await world.a.balance(user.address, 'USDC')).toBe(0n);
  expect((await world.rest.request(order.requestId)).data).toMatchObject({ usesExternalLiquidity: true });
});

it('the SDK pays with what the solver does not take, by a swap within the deposit', async () => {
  const [paid, user] = [parseEther('20'), await world.user({ GOV: parseEther('20') })];
  const order = await sdkOrder(world, { user, input: 'GOV', output: 'USDC', amount: paid });
  const { details, steps } = order.quote;
  expect(details).toMatchObject({
    operation: 'swap',
    route: { origin: { router: expect.stringMatching(/^uniswap-v[23]$/) } },
    currencyIn: { amount: paid.toString(), currency: { symbol: 'GOV' } },
  });
  expect(steps.map(({ id }) => id)).toEqual(['approve', 'deposit']);

  const { inTxHashes } = await delivered(world, order, await play(world, order));
  expect(inTxHashes).toHaveLength(1);
  expect(await world.a.balance(user.address, 'GOV')).toBe(0n);
  expect((await world.rest.request(order.requestId)).data).toMatchObject({ usesExternalLiquidity: true });
});

it('the SDK says that such a payment is refunded, and it is back as what was paid', async () => {
  const [paid, user] = [parseEther('20'), await world.user({ GOV: parseEther('20') })];
  const options = { referrer: 'debug-force-refund' };
  const order = await sdkOrder(world, { user, input: 'GOV', output: 'USDC', amount: paid, options });
  // viem adds nothing to the node's estimate (313,229; once all of it was used up): a pool may cost more in a later block.
  const { error, progress } = await play(world, order, { mining: true, depositGasLimit: '600000' });
  expect(error).toMatchObject({ message: 'Transaction failed: Refunded' });
  expect(progress.at(-1)).toMatchObject({ refunded: true });
  const { status } = await world.rest.status(order.requestId);
  expect(status).toBe('refund');

  const back = await world.a.balance(order.refundTo, 'GOV');
  // Two swaps at 0.3 %, and the gas.
  expect(back).toBeGreaterThan((paid * 90n) / 100n);
  expect(back).toBeLessThan(paid);
  for (const symbol of ['USDC', 'WETH', 'ETH']) expect(await world.a.balance(order.refundTo, symbol)).toBe(0n);
  expect(await world.b.balance(order.recipient, 'USDC')).toBe(0n);
});

it.each([
  ['swaps a token for coin', 'USDC', 'ETH', usd('300'), 'swap', ['approve', 'swap']],
  ['swaps coin for what is in pools alone', 'ETH', 'GOV', parseEther('0.1'), 'swap', ['swap']],
  ['wraps coin', 'ETH', 'WETH', parseEther('0.4'), 'wrap', ['swap']],
  ['unwraps it', 'WETH', 'ETH', parseEther('0.4'), 'unwrap', ['approve', 'swap']],
  ['sends a token', 'USDC', 'USDC', usd('40'), 'send', ['approve', 'send']],
  ['sends coin', 'ETH', 'ETH', parseEther('0.2'), 'send', ['send']],
] as const)(
  'the SDK %s on one chain, by transactions of its user',
  async (_, input, output, amount, operation, ids) => {
    const user = await world.user(input === 'ETH' ? {} : { [input]: amount });
    const order = await sdkOrder(world, { user, input, output, to: world.a, amount });
    const { steps, details, fees } = order.quote;
    expect(details).toMatchObject({ operation });
    expect(steps.map(({ id }) => id)).toEqual(ids);
    // The service's fee enters its inventory through the user's own transaction.
    world.toppedUp(world.a, input, BigInt(fees.relayerService.amount));

    const played = await play(world, order);
    expect(askedFor('/transactions/single')).toHaveLength(steps.flatMap(({ items }) => items).length);
    await world.becomes(order, 'success');
    const { inTxHashes, txHashes } = await delivered(world, order, played);
    expect(txHashes).toEqual(inTxHashes);
    const [hash] = txHashes;
    const { from } = await world.a.receipt(hash as `0x${string}`);
    expect(from.toLowerCase()).toBe(user.address.toLowerCase());
    if (input !== 'ETH') expect(await world.a.balance(user.address, input)).toBe(0n);
  },
);

it('leaves all books right, with nothing of the inventory given on one chain', async () => {
  expect(await world.verdict()).toEqual([]);
});
