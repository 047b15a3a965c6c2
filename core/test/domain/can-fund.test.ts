import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canFund } from '../../src/domain/can-fund.js';
import { decide } from '../../src/domain/decide.js';
import { NOW, quoteBody } from '../engine/support/quotes.js';

/** 100000 in, 1 % fee, 99000 out, at least 98000. */
const QUOTE = quoteBody(1);
const TRANSFER = { chainId: 901, currency: 'coin-901', amount: 100_000n };

describe('what can fund an order', () => {
  it.each([
    ['the quoted amount', {}, true],
    ['more', { amount: 10n ** 30n }, true],
    ['what the least output costs', { amount: 98_990n }, true],
    ['less than the least output costs', { amount: 98_989n }, false],
    ['one unit', { amount: 1n }, false],
    ['another chain', { chainId: 902 }, false],
    ['another currency', { currency: 'dust' }, false],
  ])('%s', (_, change, funds) => {
    expect(canFund(QUOTE, { ...TRANSFER, ...change })).toBe(funds);
  });

  it('is the whole input where the output is exact', () => {
    const quote = { ...QUOTE, tradeType: 'EXACT_OUTPUT' as const };
    expect(canFund(quote, TRANSFER)).toBe(true);
    expect(canFund(quote, { ...TRANSFER, amount: 99_999n })).toBe(false);
  });

  it('is judged by the smaller of the two least outputs, because it may be late', () => {
    expect(canFund({ ...QUOTE, lateMinimumAmount: '90000' }, { ...TRANSFER, amount: 90_910n })).toBe(true);
    expect(canFund({ ...QUOTE, lateMinimumAmount: '98999' }, { ...TRANSFER, amount: 98_990n })).toBe(true);
  });

  it('is anything where the terms are gone: nothing is filled any more', () => {
    expect(canFund({ ...QUOTE, tombstone: true }, { ...TRANSFER, amount: 1n })).toBe(true);
  });

  it('is all that is filled on time, and nothing else', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 300_000n), fc.constantFrom('EXACT_INPUT', 'EXACT_OUTPUT'), (amount, tradeType) => {
        const quote = { ...QUOTE, tradeType: tradeType as 'EXACT_INPUT' };
        const decision = decide({
          now: NOW,
          deposit: { ...TRANSFER, amount, depositor: 'depositor', blockTime: NOW },
          quote,
          taken: false,
          givenUp: false,
          lateTerms: null,
          pairNow: QUOTE.terms,
          maxRequestMicroUsd: null,
          valueMicroUsd: 1n,
        });
        expect(decision.kind === 'fill').toBe(canFund(quote, { ...TRANSFER, amount }));
      }),
    );
  });
});
