import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText, divide, fixedText, parseDecimal } from '../../src/domain/decimal.js';
import {
  amountFromMicroUsd,
  convert,
  formatUnits,
  isPrice,
  MAX_UINT256,
  microUsdText,
  parseAmount,
  parsePrice,
  parseUnits,
  usdValueText,
  valueMicroUsd,
} from '../../src/domain/money.js';
import { bpsPercentText, percentText, rateText } from '../../src/domain/percent.js';

const amounts = fc.bigInt({ min: 0n, max: 2n ** 200n });
const decimals = fc.integer({ min: 0, max: 30 });
const prices = fc.bigInt({ min: 1n, max: 10n ** 27n }).map((scaled) => decimalText(scaled, 18));

describe('divide', () => {
  it.each([
    [7n, 2n, 3n, 4n, 4n],
    [-7n, 2n, -4n, -3n, -4n],
    [5n, 4n, 1n, 2n, 1n],
    [-5n, 4n, -2n, -1n, -1n],
    [6n, 3n, 2n, 2n, 2n],
    [0n, 3n, 0n, 0n, 0n],
  ])('%s / %s', (numerator, denominator, floor, ceil, half) => {
    expect(divide(numerator, denominator, 'floor')).toBe(floor);
    expect(divide(numerator, denominator, 'ceil')).toBe(ceil);
    expect(divide(numerator, denominator, 'half')).toBe(half);
  });

  it('refuses a denominator that is not positive', () => {
    expect(() => divide(1n, 0n, 'floor')).toThrow(RangeError);
    expect(() => divide(1n, -1n, 'floor')).toThrow(RangeError);
  });

  it('brackets the exact quotient', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
        fc.bigInt({ min: 1n, max: 10n ** 20n }),
        (n, d) => {
          const [floor, ceil, half] = [divide(n, d, 'floor'), divide(n, d, 'ceil'), divide(n, d, 'half')];
          expect(floor * d <= n && n < (floor + 1n) * d).toBe(true);
          expect((ceil - 1n) * d < n && n <= ceil * d).toBe(true);
          expect(half === floor || half === ceil).toBe(true);
          const distance = half * d > n ? half * d - n : n - half * d;
          expect(2n * distance <= d).toBe(true);
        },
      ),
    );
  });
});

describe('decimal text', () => {
  it.each([
    [0n, 6, '0.000000', '0'],
    [1n, 6, '0.000001', '0.000001'],
    [1_234_500n, 6, '1.234500', '1.2345'],
    [5_000_000n, 6, '5.000000', '5'],
    [-50n, 2, '-0.50', '-0.5'],
    [100n, 0, '100', '100'],
  ])('%s with %s digits', (value, digits, fixed, trimmed) => {
    expect(fixedText(value, digits)).toBe(fixed);
    expect(decimalText(value, digits)).toBe(trimmed);
  });

  it('round-trips', () => {
    fc.assert(
      fc.property(amounts, decimals, (amount, digits) => {
        expect(parseDecimal(formatUnits(amount, digits), digits)).toBe(amount);
        expect(parseDecimal(fixedText(amount, digits), digits)).toBe(amount);
      }),
    );
  });

  it('is not cut off: more significant digits than fit are refused', () => {
    expect(parseDecimal('1.2345', 3)).toBeUndefined();
    expect(parseDecimal('1.2340', 3)).toBe(1234n);
    expect(parseUnits('0.0000001', 6).ok).toBe(false);
  });
});

describe('parseAmount', () => {
  it('takes digits up to 2^256 - 1', () => {
    expect(parseAmount('0')).toEqual({ ok: true, amount: 0n });
    expect(parseAmount(MAX_UINT256.toString())).toEqual({ ok: true, amount: MAX_UINT256 });
    expect(parseAmount((MAX_UINT256 + 1n).toString()).ok).toBe(false);
  });

  it.each(['', ' 1', '1 ', '+1', '-1', '1.0', '1e18', '0x10', '1_000', '1,000', '١', '9'.repeat(79)])(
    'refuses %j',
    (text) => {
      expect(parseAmount(text).ok).toBe(false);
    },
  );
});

describe('prices', () => {
  it('are positive decimals with at most 18 fraction digits', () => {
    expect(parsePrice('1')).toBe(10n ** 18n);
    expect(parsePrice('2500.25')).toBe(250_025n * 10n ** 16n);
    for (const text of ['0', '0.0', '-1', '.5', '1.', '1e3', '', 'NaN', `0.${'0'.repeat(18)}1`]) {
      expect(isPrice(text)).toBe(false);
      expect(() => parsePrice(text)).toThrow(RangeError);
    }
  });

  it('value amounts', () => {
    expect(valueMicroUsd(10n ** 18n, 18, '2500.25', 'floor')).toBe(2_500_250_000n);
    expect(valueMicroUsd(1n, 18, '2500', 'floor')).toBe(0n);
    expect(valueMicroUsd(1n, 18, '2500', 'ceil')).toBe(1n);
    expect(usdValueText(1_500_000n, 6, '0.9999')).toBe('1.499850');
    expect(microUsdText(-1n)).toBe('-0.000001');
  });

  it('turn value into amounts that are worth at least, or at most, that much', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), decimals, prices, (micro, digits, usd) => {
        expect(valueMicroUsd(amountFromMicroUsd(micro, digits, usd, 'ceil'), digits, usd, 'floor') >= micro).toBe(true);
        expect(valueMicroUsd(amountFromMicroUsd(micro, digits, usd, 'floor'), digits, usd, 'ceil') <= micro).toBe(true);
      }),
    );
  });
});

describe('convert', () => {
  it('converts decimals and prices exactly', () => {
    expect(convert(10n ** 18n, 18, '2500', 6, '1', 'floor')).toBe(2_500_000_000n);
    expect(convert(2_500_000_000n, 6, '1', 18, '2500', 'floor')).toBe(10n ** 18n);
    expect(convert(1n, 18, '1', 6, '1', 'floor')).toBe(0n);
    expect(convert(1n, 18, '1', 6, '1', 'ceil')).toBe(1n);
    expect(convert(1n, 6, 'no price needed', 18, 'no price needed', 'floor')).toBe(10n ** 12n);
  });

  it('there and back never gains, and loses nothing when rounded up on the way', () => {
    fc.assert(
      fc.property(amounts, decimals, prices, decimals, prices, (amount, inDecimals, inUsd, outDecimals, outUsd) => {
        const down = convert(amount, inDecimals, inUsd, outDecimals, outUsd, 'floor');
        expect(convert(down, outDecimals, outUsd, inDecimals, inUsd, 'floor') <= amount).toBe(true);
        const up = convert(amount, inDecimals, inUsd, outDecimals, outUsd, 'ceil');
        expect(convert(up, outDecimals, outUsd, inDecimals, inUsd, 'ceil') >= amount).toBe(true);
        expect(up - down === 0n || up - down === 1n).toBe(true);
      }),
    );
  });

  it('treats equal prices as one asset: the price cancels', () => {
    fc.assert(
      fc.property(amounts, decimals, prices, decimals, (amount, inDecimals, usd, outDecimals) => {
        const same = convert(amount, inDecimals, usd, outDecimals, usd, 'floor');
        expect(convert(amount, inDecimals, usd, outDecimals, `${usd.includes('.') ? usd : `${usd}.`}0`, 'floor')).toBe(
          same,
        );
      }),
    );
  });
});

describe('percent and rate texts', () => {
  it('are decimal', () => {
    expect(percentText(-25n, 10_000n)).toBe('-0.25');
    expect(percentText(1n, 3n)).toBe('33.33');
    expect(percentText(1n, 0n)).toBe('0.00');
    expect(bpsPercentText(50)).toBe('0.50');
    expect(rateText(10n ** 18n, 18, 2_500_000_000n, 6)).toBe('2500');
    expect(rateText(3n, 0, 1n, 0)).toBe('0.333333333333333333');
    expect(rateText(0n, 0, 1n, 0)).toBe('0');
  });
});
