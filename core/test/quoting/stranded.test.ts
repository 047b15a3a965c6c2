import { expect, it } from 'vitest';
import type { ChainAdapter } from '../../src/contract/index.js';
import type { QuoteAnswer } from '../../src/quoting/answer.js';
import { NATIVE } from '../api/support/chain-double.js';
import { alpha, beta, quoted, quoterWith } from './support/quoter-with.js';

const LEAST = 10n ** 15n;

/** A chain whose accounts must keep a minimum of coin, or none. */
function quoteOf(amount: bigint, held: bigint | undefined, leastLeft: (() => bigint) | null = () => LEAST) {
  const chain = Object.assign(Object.create(alpha.adapter) as ChainAdapter, { leastLeft: leastLeft ?? undefined });
  const chains = new Map([
    [1, chain],
    [2, beta.adapter],
  ]);
  const quoter = quoterWith({ chains, balances: { of: async () => held } });
  return quoted(quoter, { originCurrency: NATIVE, amount: amount.toString() });
}

it('a deposit that leaves its payer less than an account may keep is refused, with the most that can be sent', async () => {
  const held = 10n ** 17n;
  const fee = BigInt(((await quoteOf(10n ** 16n, undefined)) as QuoteAnswer).fees.gas.amount);
  const most = held - fee - LEAST;
  const refused = { code: 'INSUFFICIENT_FUNDS', errorData: { field: 'amount', maximum: most.toString() } };
  expect(await quoteOf(most + 1n, held)).toMatchObject(refused);
  expect(await quoteOf(held - fee - 1n, held)).toMatchObject(refused);
  // The maximum, the whole balance, and a later balance.
  for (const amount of [most, held - fee, held, 2n * held])
    expect(await quoteOf(amount, held)).not.toBeInstanceOf(Error);
  expect(await quoteOf(most + 1n, undefined)).not.toBeInstanceOf(Error);
  expect(await quoteOf(most + 1n, held, null)).not.toBeInstanceOf(Error);
  expect(await quoteOf(10n ** 16n, 10n ** 16n + fee + 1n, () => 10n ** 17n)).toMatchObject({
    message: expect.stringContaining('only all'),
  });
});
