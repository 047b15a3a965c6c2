import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText } from '../../src/domain/decimal.js';
import type { PriceTerms } from '../../src/domain/fees.js';
import { convert } from '../../src/domain/money.js';
import type { TopUpPromise } from '../../src/domain/quote.js';
import { leastTopUp, topUpId, topUpNow, withSpread } from '../../src/domain/top-up.js';

const usd = fc.bigInt({ min: 10n ** 9n, max: 10n ** 24n }).map((scaled) => decimalText(scaled, 18));
const decimals = fc.integer({ min: 0, max: 18 });

const promised = fc
  .record({
    amount: fc.bigInt({ min: 1n, max: 10n ** 24n }),
    inUsd: usd,
    coinUsd: usd,
    inDecimals: decimals,
    coinDecimals: decimals,
    spreadBps: fc.integer({ min: 0, max: 500 }),
    slippageBps: fc.integer({ min: 0, max: 10_000 }),
    gas: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  })
  .map(({ amount, inUsd, coinUsd, inDecimals, coinDecimals, spreadBps, slippageBps, gas }) => {
    const value = withSpread(convert(amount, coinDecimals, coinUsd, inDecimals, inUsd, 'ceil'), spreadBps);
    const terms: PriceTerms = {
      ...{ inDecimals, outDecimals: 6, inUsd, outUsd: '1', relayerGas: '0', serviceBps: 0, serviceFloor: '0' },
      appFees: [],
      topUp: { value: value.toString(), gas: gas.toString() },
    };
    const promise: TopUpPromise = {
      ...{ currency: 'coin', symbol: 'COIN', decimals: coinDecimals, amount: amount.toString(), usd: coinUsd },
      minimumAmount: leastTopUp(amount, slippageBps).toString(),
      spreadBps,
    };
    return { quote: { terms, features: [] }, promise, covers: value + gas, now: { inUsd, outUsd: coinUsd } };
  });

describe('the id of a top-up', () => {
  it('follows from its order, and is no order', () => {
    const [one, other] = [`0x${'11'.repeat(32)}`, `0x${'12'.repeat(32)}`] as const;
    expect(topUpId(one)).toBe('0x8ded7a1674b2bf74c7f6dad59fbadfba8517cea6d115dff3282ac778db107f3f');
    expect(new Set([one, other, topUpId(one), topUpId(other), topUpId(topUpId(one))]).size).toBe(5);
  });
});

describe('what goes out for it', () => {
  it('is what was promised, to the unit, while no price moves', () => {
    fc.assert(
      fc.property(promised, ({ quote, promise, covers, now }) => {
        expect(topUpNow(quote, promise, covers, now)).toEqual({ ok: true, amount: BigInt(promise.amount) });
      }),
    );
  });

  it('is never more than was promised, nor less than the least, nor worth more than was charged for it', () => {
    fc.assert(
      fc.property(promised, usd, usd, ({ quote, promise, covers }, inUsd, outUsd) => {
        const reported = topUpNow(quote, promise, covers, { inUsd, outUsd });
        if (!reported.ok) return;
        expect(reported.amount <= BigInt(promise.amount) && reported.amount >= BigInt(promise.minimumAmount)).toBe(
          true,
        );
        const value = covers - BigInt(quote.terms.topUp?.gas ?? '0');
        const bought = convert(value, quote.terms.inDecimals, inUsd, promise.decimals, outUsd, 'floor');
        // Normal price difference of one asset: 0.1 %.
        expect(reported.amount * 1_000n <= bought * 1_001n + 1_000n).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
