import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DecideInput, decide } from '../../src/domain/decide.js';
import { priceExactInput } from '../../src/domain/fees.js';
import { fixedRateBps, isFirm } from '../../src/domain/fixed-rate.js';
import { NOW, quoteBody } from '../engine/support/quotes.js';

const fee = {
  classes: [
    { groups: ['dollar'], bps: 3, perRootMinuteBps: 2 },
    { bps: 10, perRootMinuteBps: 20 },
  ],
};

describe('the fee of a fixed rate', () => {
  it('is that of the more volatile asset, for the time that the price is not asked for', () => {
    expect(fixedRateBps({ fee }, ['dollar', 'ether'], 60_000)).toBe(30);
    expect(fixedRateBps({ fee }, ['ether', 'dollar'], 15_000)).toBe(20);
    expect(fixedRateBps({ fee }, ['dollar', 'franc'], 0)).toBe(10);
  });

  it('within one group is its constant part, because a peg may be lost', () => {
    expect(fixedRateBps({ fee }, ['dollar', 'dollar'], 3_600_000)).toBe(3);
    expect(fixedRateBps({ fee }, ['ether', 'ether'], 3_600_000)).toBe(10);
  });

  it('never falls with time', () => {
    const ms = fc.nat({ max: 86_400_000 });
    fc.assert(
      fc.property(ms, ms, (a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(fixedRateBps({ fee }, ['dollar', 'ether'], less)).toBeLessThanOrEqual(
          fixedRateBps({ fee }, ['dollar', 'ether'], more),
        );
      }),
    );
  });
});

/** 100000 in, 1 % fee, 99000 out, at least 98000. */
const QUOTE = quoteBody(1, { features: ['fixed_rate'] });
const DEPOSIT = { chainId: 901, currency: 'coin-901', amount: 100_000n, depositor: 'depositor', blockTime: NOW };

function decided(deposit: Partial<DecideInput['deposit']> = {}, rest: Partial<DecideInput> = {}) {
  return decide({
    now: NOW,
    deposit: { ...DEPOSIT, ...deposit },
    quote: QUOTE,
    taken: false,
    givenUp: false,
    lateTerms: { ...QUOTE.terms, outUsd: '1.005' },
    pairNow: { inUsd: '1', outUsd: '9' },
    maxRequestMicroUsd: null,
    valueMicroUsd: 100_000n,
    ...rest,
  });
}

describe('a payment for a fixed rate', () => {
  it('in time is filled as quoted, whatever prices are, and where no one knows them', () => {
    const fill = { kind: 'fill', amountOut: 99_000n, covers: 100_000n, excess: 0n };
    expect(decided()).toEqual(fill);
    expect(decided({ blockTime: QUOTE.expiresAt }, { pairNow: null })).toEqual(fill);
    expect(decided({}, { pairNow: { inUsd: '9', outUsd: '1' } })).toEqual(fill);
    expect(decided({ amount: 100_007n })).toEqual({ ...fill, excess: 7n });
  });

  it('is not turned away because its input became more expensive than one request may be worth', () => {
    const beyond = { maxRequestMicroUsd: 99_999n, valueMicroUsd: 100_000n };
    expect(decided({}, beyond)).toMatchObject({ kind: 'fill', amountOut: 99_000n });
    expect(decided({ blockTime: QUOTE.expiresAt + 1 }, beyond)).toMatchObject({ reason: 'SOLVER_CAPACITY_EXCEEDED' });
  });

  it('that is too small is filled in proportion, at the same rate', () => {
    expect(decided({ amount: 99_500n })).toEqual({ kind: 'fill', amountOut: 98_505n, covers: 99_500n, excess: 0n });
    expect(decided({ amount: 90_000n })).toMatchObject({ kind: 'refund', reason: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL' });
  });

  it('that comes late is priced again', () => {
    const late = { blockTime: QUOTE.expiresAt + 1 };
    expect(decided(late)).toMatchObject({ kind: 'fill', amountOut: 98_507n });
    expect(decided(late, { lateTerms: { ...QUOTE.terms, outUsd: '9' } })).toMatchObject({ reason: 'SLIPPAGE' });
    expect(decided(late, { lateTerms: null })).toEqual({ kind: 'wait' });
  });

  it('in time never pays more than its amount buys under the terms that were fixed', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 200_000n), fc.constantFrom('0.2', '1', '7'), (amount, inUsd) => {
        const decision = decided({ amount }, { pairNow: { inUsd, outUsd: '1' } });
        if (decision.kind !== 'fill') return;
        const paid = priceExactInput(decision.covers, QUOTE.terms);
        expect(paid.ok && paid.amounts.amountOut).toBe(decision.amountOut);
        expect(decision.covers + decision.excess).toBe(amount);
      }),
    );
  });
});

it('nothing is firm without a block, after the quote, or without the feature', () => {
  expect(isFirm(QUOTE, QUOTE.expiresAt)).toBe(true);
  expect(isFirm(QUOTE, QUOTE.expiresAt + 1)).toBe(false);
  expect(isFirm(QUOTE, null)).toBe(false);
  expect(isFirm({ ...QUOTE, features: ['app_fees'] }, NOW)).toBe(false);
});
