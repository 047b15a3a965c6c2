import { describe, expect, it } from 'vitest';
import type { ChainAdapter } from '../../src/contract/index.js';
import type { QuoteAnswer } from '../../src/quoting/answer.js';
import type { UserBalances } from '../../src/quoting/user-balances.js';
import { address, chainDouble, NATIVE, TOKEN } from '../api/support/chain-double.js';
import { ask } from '../api/support/running-api.js';
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

it('what its user holds says nothing of a payment to a deposit address, which anyone may pay', async () => {
  const chain = Object.assign(Object.create(alpha.adapter) as ChainAdapter, { leastLeft: () => LEAST });
  const chains = new Map([
    [1, chain],
    [2, beta.adapter],
  ]);
  const amount = 10n ** 17n;
  const quoter = quoterWith({ chains, balances: { of: async () => amount + LEAST / 2n } });
  alpha.state.depositAddresses = { derive: () => address('9'), steps: () => [], held: async () => [] };
  const change = { originCurrency: NATIVE, amount: amount.toString() };
  for (const asked of [{ strict: true, refundTo: address('1') }, {}])
    expect(await quoted(quoter, { ...change, useDepositAddress: true, ...asked })).not.toBeInstanceOf(Error);
  expect(await quoted(quoter, change)).toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
  alpha.reset();
});

describe('the account that pays the network fee of a deposit', () => {
  const PATRON = address('7');
  const LEAST = 10n ** 12n;
  const USER = ask({}).user as string;

  /** What is asked for, of accounts with so much coin; their tokens suffice. */
  function quoteWith(change: Readonly<Record<string, unknown>>, coins: Readonly<Record<string, bigint | undefined>>) {
    const sponsored = chainDouble(1, 'alpha');
    sponsored.state.feePayers = true;
    const chain = Object.assign(Object.create(sponsored.adapter) as ChainAdapter, {
      leastLeft: (currency: string) => (currency === NATIVE ? LEAST : undefined),
    });
    const chains = new Map([
      [1, chain],
      [2, beta.adapter],
    ]);
    const of: UserBalances['of'] = async (_, holder, currency) => (currency === NATIVE ? coins[holder] : 10n ** 30n);
    return quoted(quoterWith({ chains, balances: { of } }), change);
  }
  const token = { originCurrency: TOKEN };
  const feeOf = async () => BigInt(((await quoteWith(token, {})) as QuoteAnswer).fees.gas.amount);

  it('keeps what an account must hold or nothing, also where a token is paid', async () => {
    const fee = await feeOf();
    expect(fee).toBeGreaterThan(0n);
    for (const left of [1n, LEAST - 1n])
      expect(await quoteWith(token, { [USER]: fee + left })).toMatchObject({
        code: 'INSUFFICIENT_FUNDS',
        errorData: { field: 'user' },
        message: expect.stringContaining(`send it at least ${LEAST - left} (`),
      });
    for (const coins of [0n, fee, fee + LEAST, undefined])
      expect(await quoteWith(token, { [USER]: coins })).not.toBeInstanceOf(Error);
  });

  it('is the named one, for tokens and for coins', async () => {
    const fee = await feeOf();
    const coins = { originCurrency: NATIVE, amount: (10n ** 17n).toString() };
    for (const paid of [token, coins]) {
      const asked = { ...paid, depositFeePayer: PATRON };
      const rich = 10n ** 30n;
      expect(await quoteWith(asked, { [USER]: rich, [PATRON]: fee + 1n })).toMatchObject({
        code: 'INSUFFICIENT_FUNDS',
        errorData: { field: 'depositFeePayer' },
        message: expect.stringContaining(PATRON),
      });
      expect(await quoteWith(asked, { [USER]: rich, [PATRON]: fee + LEAST })).not.toBeInstanceOf(Error);
    }
    // The payer of tokens needs no coins then.
    const patronPays = { ...token, depositFeePayer: PATRON };
    expect(await quoteWith(patronPays, { [USER]: 1n, [PATRON]: fee + LEAST })).not.toBeInstanceOf(Error);
  });
});
