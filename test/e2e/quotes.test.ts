import { parseEther, parseUnits } from 'viem';
import { expect, it } from 'vitest';
import type { Quote } from '../support/rest.js';
import { sharedWorld } from '../support/shared-world.js';
import { newAddress } from '../support/wallet.js';
import type { World } from '../support/world.js';

/** Payer of wallet-less previews in public clients. */
const BURN = '0x000000000000000000000000000000000000dEaD';

let world: World;

sharedWorld((shared) => {
  world = shared;
});

function ask(change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    user: newAddress(),
    originChainId: world.a.id,
    destinationChainId: world.b.id,
    originCurrency: world.a.currency('USDC'),
    destinationCurrency: world.b.currency('USDC'),
    amount: parseUnits('100', 6).toString(),
    tradeType: 'EXACT_INPUT',
    ...change,
  };
}

type Details = Quote['details'] & { readonly userBalance?: string };

it("reports the payer's balance once it was looked up", async () => {
  const user = await world.user({ USDC: parseUnits('123', 6) });
  const balance = async (currency: string) => {
    const details: Details = (
      await world.rest.quote(ask({ user: user.address, originCurrency: world.a.currency(currency) }))
    ).details;
    return details.userBalance;
  };
  expect(await balance('USDC')).toBeUndefined();
  await expect.poll(() => balance('USDC')).toBe(parseUnits('123', 6).toString());
  await expect.poll(() => balance('USDT')).toBe('0');
});

it('previews for payers who can never sign', async () => {
  const preview = await world.rest.quote(
    ask({ user: BURN, recipient: BURN, originCurrency: world.a.currency('ETH'), amount: parseEther('1').toString() }),
  );
  expect(preview.details).not.toHaveProperty('userBalance');
  expect(preview.steps).toHaveLength(1);
});

it('prices what it would quote, and counts what a smart wallet adds', async () => {
  const body = ask();
  const { fees, details } = await world.rest.quote(body);
  const price = await world.rest.call<Pick<Quote, 'fees' | 'details'>>('POST', '/price', { body });
  expect(price.status).toBe(200);
  expect(Object.keys(price.body)).toEqual(['fees', 'details']);
  expect(price.body.details.currencyOut.currency).toEqual(details.currencyOut.currency);
  const wallet = await world.rest.quote({ ...body, originGasOverhead: '1000000' });
  expect(BigInt(wallet.fees.gas.amount)).toBeGreaterThan(2n * BigInt(fees.gas.amount));
});
