import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DecideInput, decide } from '../../src/domain/decide.js';
import { minimumAmount, type PriceTerms, priceExactInput } from '../../src/domain/fees.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { NOW, quoteBody } from '../engine/support/quotes.js';

/** 100000 in, 1 % fee, 99000 out, at least 98000. */
const QUOTE = quoteBody(1);

const DEPOSIT = { chainId: 901, currency: 'coin-901', amount: 100_000n, depositor: 'depositor', blockTime: NOW };

interface Case {
  readonly deposit?: Partial<DecideInput['deposit']>;
  readonly quote?: Partial<QuoteBody> | null;
  readonly rest?: Partial<DecideInput>;
}

function decided({ deposit, quote, rest }: Case) {
  return decide({
    now: NOW,
    deposit: { ...DEPOSIT, ...deposit },
    quote: quote === null ? null : { ...QUOTE, ...quote },
    taken: false,
    givenUp: false,
    lateTerms: QUOTE.terms,
    pairNow: QUOTE.terms,
    maxRequestMicroUsd: null,
    valueMicroUsd: 100_000n,
    ...rest,
  });
}

const refund = (reason: string, to = 'orderRecipient') => ({ kind: 'refund', reason, to });
const LATE = { blockTime: QUOTE.expiresAt + 1 };
const withOutUsd = (outUsd: string): PriceTerms => ({ ...QUOTE.terms, outUsd });

describe('what a transfer funds', () => {
  it('is the quoted fill for the quoted amount', () => {
    expect(decided({})).toEqual({ kind: 'fill', amountOut: 99_000n, covers: 100_000n, excess: 0n });
  });

  it('is the quoted fill and an excess for more', () => {
    expect(decided({ deposit: { amount: 130_001n } })).toEqual({
      kind: 'fill',
      amountOut: 99_000n,
      covers: 100_000n,
      excess: 30_001n,
    });
  });

  it('is the worth of a little more where a swap on the way in brought it, and no more than that', () => {
    const swapIn = {
      ...{ side: { ...QUOTE.origin, currency: 'gov' }, usd: '1', amount: '1', least: '98990', most: '101000' },
      ...{ source: 'pools', rules: {}, work: '0' },
    };
    const of = (amount: bigint) => decided({ quote: { swapIn }, deposit: { amount } });
    expect(of(100_000n)).toEqual({ kind: 'fill', amountOut: 99_000n, covers: 100_000n, excess: 0n });
    expect(of(100_500n)).toEqual({ kind: 'fill', amountOut: 99_495n, covers: 100_500n, excess: 0n });
    expect(of(5_000_000n)).toEqual({ kind: 'fill', amountOut: 99_990n, covers: 101_000n, excess: 4_899_000n });
    expect(of(98_990n)).toEqual({ kind: 'fill', amountOut: 98_000n, covers: 98_990n, excess: 0n });
    expect(of(98_900n)).toEqual(refund('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL'));
  });

  it.each([
    ['an order that was never promised', { quote: null }, refund('ORPHANED_DEPOSIT_REFUND', 'depositor')],
    [
      'an order that was never promised, twice',
      { quote: null, rest: { taken: true } },
      refund('ORPHANED_DEPOSIT_REFUND', 'depositor'),
    ],
    ['a request that another transfer owns', { rest: { taken: true } }, refund('DOUBLE_SPEND')],
    ['the wrong chain', { deposit: { chainId: 902 } }, refund('DEPOSIT_CHAIN_MISMATCH')],
    ['the wrong currency', { deposit: { currency: 'other' } }, refund('INCORRECT_DEPOSIT_CURRENCY')],
    ['a forced refund', { quote: { forceRefund: true } }, refund('UNKNOWN')],
    ['a passed deadline', { deposit: { blockTime: QUOTE.deadlineAt + 1 } }, refund('ORDER_EXPIRED')],
    ['a passed ttl', { deposit: { blockTime: NOW + 1 }, quote: { ttlAt: NOW } }, refund('TTL_EXPIRED')],
    [
      'a value over the limit',
      { rest: { maxRequestMicroUsd: 99_999n, valueMicroUsd: 100_000n } },
      refund('SOLVER_CAPACITY_EXCEEDED'),
    ],
  ] satisfies [string, Case, unknown][])('is a refund for %s', (_, given, expected) => {
    expect(decided(given)).toEqual(expected);
  });

  it.each([
    ['expiry', { deposit: { blockTime: QUOTE.expiresAt } }],
    ['the ttl', { deposit: { blockTime: NOW + 5 }, quote: { ttlAt: NOW + 5 } }],
    ['the largest value', { rest: { maxRequestMicroUsd: 100_000n, valueMicroUsd: 100_000n } }],
  ] satisfies [string, Case][])('is still the quoted fill exactly at %s', (_, given) => {
    expect(decided(given)).toMatchObject({ kind: 'fill', amountOut: 99_000n });
  });

  it('is judged again from one millisecond past the expiry up to the deadline', () => {
    for (const blockTime of [QUOTE.expiresAt + 1, QUOTE.deadlineAt])
      expect(decided({ deposit: { blockTime }, rest: { lateTerms: null } })).toEqual({ kind: 'wait' });
  });
});

describe('an underpayment', () => {
  it('is rescaled when at least the minimum comes out', () => {
    expect(decided({ deposit: { amount: 98_990n } })).toEqual({
      kind: 'fill',
      amountOut: 98_000n,
      covers: 98_990n,
      excess: 0n,
    });
  });

  it('is refunded when less does', () => {
    expect(decided({ deposit: { amount: 98_988n } })).toEqual(refund('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL'));
  });

  it('is refunded when the output was exact, by a single unit, on time and late', () => {
    for (const blockTime of [NOW, QUOTE.expiresAt + 1]) {
      const given = { deposit: { amount: 99_999n, blockTime }, quote: { tradeType: 'EXACT_OUTPUT' } } as const;
      expect(decided(given)).toEqual(refund('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL'));
    }
  });

  it('is refunded with its own reason when fees take all of it', () => {
    const terms = { ...QUOTE.terms, relayerGas: '5000' };
    expect(decided({ deposit: { amount: 5_000n }, quote: { terms } })).toEqual(
      refund('NEGATIVE_NEW_AMOUNT_AFTER_FEES'),
    );
  });

  it('of an expected output is rescaled like an exact input', () => {
    expect(decided({ deposit: { amount: 99_000n }, quote: { tradeType: 'EXPECTED_OUTPUT' } })).toMatchObject({
      kind: 'fill',
      amountOut: 98_010n,
    });
  });
});

describe('a late transfer', () => {
  it('is priced again and filled when the minimum still comes out', () => {
    expect(decided({ deposit: LATE, rest: { lateTerms: withOutUsd('1.01') } })).toEqual({
      kind: 'fill',
      amountOut: 98_019n,
      covers: 100_000n,
      excess: 0n,
    });
  });

  it('is refunded with SLIPPAGE when it does not', () => {
    expect(decided({ deposit: LATE, rest: { lateTerms: withOutUsd('1.011') } })).toEqual(refund('SLIPPAGE'));
  });

  it('is refunded for its amount where the price would have done for the quoted one', () => {
    const half = { ...LATE, amount: 50_000n };
    expect(decided({ deposit: half })).toEqual(refund('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL'));
    expect(decided({ deposit: half, rest: { lateTerms: withOutUsd('1.011') } })).toEqual(refund('SLIPPAGE'));
  });

  it('gets more when prices moved its way, but never more than an exact output asked for', () => {
    const rest = { lateTerms: withOutUsd('0.5') };
    expect(decided({ deposit: LATE, rest })).toMatchObject({ amountOut: 198_000n });
    expect(decided({ deposit: LATE, quote: { tradeType: 'EXACT_OUTPUT' }, rest })).toMatchObject({
      amountOut: 99_000n,
    });
  });

  it('covers what was quoted and gives the rest back', () => {
    expect(decided({ deposit: { ...LATE, amount: 250_000n } })).toMatchObject({ covers: 100_000n, excess: 150_000n });
  });

  it('waits for prices until the deadline, and not a millisecond longer', () => {
    const late = (now: number) => decided({ deposit: LATE, rest: { lateTerms: null, now } });
    expect(late(QUOTE.deadlineAt)).toEqual({ kind: 'wait' });
    expect(late(QUOTE.deadlineAt + 1)).toEqual(refund('PROTOCOL_DEADLINE_EXPIRED'));
  });
});

describe('any decision', () => {
  const amounts = fc.oneof(fc.bigInt({ min: 1n, max: 300_000n }), fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }));
  const usd = fc.integer({ min: 1, max: 4_000 }).map((thousandths) => String(thousandths / 1000));
  const input = fc.record({
    amount: amounts,
    amountIn: amounts,
    tradeType: fc.constantFrom('EXACT_INPUT' as const, 'EXACT_OUTPUT' as const, 'EXPECTED_OUTPUT' as const),
    serviceBps: fc.integer({ min: 0, max: 5_000 }),
    relayerGas: fc.integer({ min: 0, max: 5_000 }),
    slippageBps: fc.integer({ min: 0, max: 10_000 }),
    lateness: fc.integer({ min: -30_000, max: 700_000 }),
    lateUsd: fc.option(fc.tuple(usd, usd)),
    taken: fc.boolean(),
  });

  it('settles the whole transfer, and never promises more than the fee function gives for it', () => {
    fc.assert(
      fc.property(input, (given) => {
        const terms: PriceTerms = {
          ...QUOTE.terms,
          serviceBps: given.serviceBps,
          relayerGas: String(given.relayerGas),
        };
        const quoted = priceExactInput(given.amountIn, terms);
        fc.pre(quoted.ok);
        const amountOut = quoted.amounts.amountOut;
        const minimum = minimumAmount(amountOut, given.slippageBps);
        const late = given.lateness > 0;
        const lateTerms = given.lateUsd && { ...terms, inUsd: given.lateUsd[0], outUsd: given.lateUsd[1] };
        const decision = decided({
          deposit: { amount: given.amount, blockTime: QUOTE.expiresAt + given.lateness },
          quote: {
            terms,
            tradeType: given.tradeType,
            amountIn: String(given.amountIn),
            amountOut: String(amountOut),
            minimumAmount: String(minimum),
          },
          rest: { taken: given.taken, lateTerms },
        });
        if (decision.kind !== 'fill') return;
        expect(given.taken).toBe(false);
        expect(given.lateness).toBeLessThanOrEqual(600_000);
        expect(decision.covers + decision.excess).toBe(given.amount);
        expect(decision.excess).toBeGreaterThanOrEqual(0n);
        expect(decision.covers).toBeLessThanOrEqual(given.amountIn);
        const paid = priceExactInput(decision.covers, late && lateTerms ? lateTerms : terms);
        expect(paid.ok && decision.amountOut <= paid.amounts.amountOut).toBe(true);
        expect(decision.amountOut).toBeGreaterThanOrEqual(minimum);
        if (given.tradeType === 'EXACT_OUTPUT') expect(decision.amountOut).toBeLessThanOrEqual(amountOut);
      }),
      { numRuns: 500 },
    );
  });
});
