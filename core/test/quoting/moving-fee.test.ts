import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PriceTerms, priceExactInput } from '../../src/domain/fees.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import type { FeeInputs } from '../../src/quoting/moving-fee.js';
import { NATIVE } from '../api/support/chain-double.js';
import { POLICY } from '../api/support/running-api.js';
import { beta, pricesOf, quoted, quoterWith } from './support/quoter-with.js';

const NOW = 1_700_000_000_000;
const clock = { now: () => NOW, monotonic: () => 0, sleep: async () => undefined, every: () => () => undefined };
const MOVING = {
  leastBps: 2,
  skew: { extraBps: 100, discountBps: 8, weights: [] },
  volatility: { windowMs: 600_000, calmBps: 50, percent: 10, mostBps: 30 },
};

/** Holdings of both chains in millions of dollars, and pair moves. */
function quoterOf(held: readonly [bigint, bigint], movedBps = 0) {
  const bodies: QuoteBody[] = [];
  const feeInputs: FeeInputs = {
    held: (chainId, currency) => {
      const found = beta.adapter.currency(currency);
      return found?.group === 'usd-coin' ? (held[chainId - 1] ?? 0n) * 1_000_000n : 0n;
    },
    rangeBps: () => movedBps,
  };
  const quoter = quoterWith({
    clock,
    prices: pricesOf({ ether: '2000' }, () => NOW),
    policy: { ...POLICY, routeFees: [{ bps: 5, floorMicroUsd: 0n }], movingFees: MOVING },
    feeInputs,
    store: {
      unpaidQuotes: async () => 0,
      ordersByPrefix: async () => [],
      requests: async () => [],
      apply: async ({ changes }) => {
        for (const change of changes)
          if (change.op === 'insert') bodies.push(JSON.parse((change.row as { body: string }).body) as QuoteBody);
        return { ok: true };
      },
    },
  });
  return {
    quoter,
    async termsOf(change: Readonly<Record<string, unknown>> = {}) {
      const answer = await quoted(quoter, change);
      if (answer instanceof Error) throw answer;
      const body = bodies.at(-1);
      return { answer, terms: body?.terms, bps: body?.terms.serviceBps, spread: body?.spreadBps };
    },
  };
}

describe('the service fee', () => {
  it('rises with what the output takes of what is to be held, and is frozen with the quote', async () => {
    const { termsOf } = quoterOf([1_000n, 1_000n]);
    const { bps, spread, answer } = await termsOf({ amount: '100000000' });
    // A tenth of the target.
    expect({ bps, spread }).toEqual({ bps: 15, spread: undefined });
    expect(answer.fees.relayerService.amount).toBe('150000');
    expect((await termsOf({ amount: '500000000' })).bps).toBe(55);
    expect((await termsOf({ amount: '5000000000' })).bps).toBe(105);
  });

  it('falls for what brings the inventory back, and not below what it has to cover', async () => {
    expect((await quoterOf([900n, 1_100n]).termsOf({ amount: '1000000' })).bps).toBe(5);
    expect((await quoterOf([500n, 1_500n]).termsOf({ amount: '1000000' })).bps).toBe(2);
    expect((await quoterOf([1_500n, 500n]).termsOf({ amount: '1000000' })).bps).toBeGreaterThan(50);
  });

  it('rises with the market of two assets, and not within one', async () => {
    expect((await quoterOf([0n, 0n], 250).termsOf({ destinationCurrency: NATIVE })).bps).toBe(25);
    expect((await quoterOf([0n, 0n], 250).termsOf()).bps).toBe(5);
  });

  it('is what the route says where nothing is configured to move it', async () => {
    const plain = quoterWith({ clock, prices: pricesOf({}, () => NOW), policy: { ...POLICY, movingFees: MOVING } });
    const answer = await quoted(plain);
    expect(answer instanceof Error ? answer : answer.fees.relayerService.amount).toBe('50000');
  });

  it('has its exact outputs bought by what they cost, and never by less', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt(1n, 3_000n),
        fc.bigInt(1n, 3_000n),
        fc.integer({ min: 1_000_000, max: 2_000_000_000 }),
        async (here, there, amount) => {
          const { termsOf } = quoterOf([here, there]);
          const out = await termsOf({ tradeType: 'EXACT_OUTPUT', amount: amount.toString() });
          const { currencyIn, currencyOut } = out.answer.details;
          expect(currencyOut.amount).toBe(amount.toString());
          const terms = out.terms as PriceTerms;
          const buys = (input: bigint) => {
            const priced = priceExactInput(input, terms);
            return priced.ok ? priced.amounts.amountOut : 0n;
          };
          expect(buys(BigInt(currencyIn.amount))).toBeGreaterThanOrEqual(BigInt(amount));
          expect(buys(BigInt(currencyIn.amount) - 1n)).toBeLessThan(BigInt(amount));
          // Output is judged before fees, so it never falls below the request.
          const back = await termsOf({ amount: currencyIn.amount });
          expect(back.bps ?? 0).toBeGreaterThanOrEqual(out.bps ?? 0);
          expect(BigInt(back.answer.details.currencyOut.amount)).toBeLessThanOrEqual(BigInt(amount) + 1n);
        },
      ),
      { numRuns: 60 },
    );
  });
});
