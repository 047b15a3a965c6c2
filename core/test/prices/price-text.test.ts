import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertPrice, priceText, readPrice } from '../../src/prices/price-text.js';

describe('the text of a price', () => {
  it.each([
    ['3021.57', '3021.57'],
    ['0003021.5700', '3021.57'],
    ['1', '1'],
    ['1e3', '1000'],
    ['1.5E-7', '0.00000015'],
    ['1.23e-16', '0.000000000000000123'],
    ['3021.570000000000000001', '3021.570000000000000001'],
    ['0.3333333333333333333333', '0.333333333333333333'],
    ['0.6666666666666666666666', '0.666666666666666667'],
    ['999999999999999.999999999999999999', '999999999999999.999999999999999999'],
  ])('%s is %s', (text, usd) => {
    const price = readPrice(text);
    expect(price === undefined ? undefined : priceText(price)).toBe(usd);
  });

  it.each(['', ' 1', '1 ', '-1', '+1', '0', '0.0', '1e-19', '4e-19', '1e15', '1e99', '1e999999999', 'NaN', 'Infinity'])(
    '%j is no price',
    (text) => expect(readPrice(text)).toBeUndefined(),
  );

  it.each(['1.', '.5', '1,5', '0x10', '1_000', '1'.repeat(61), `0.${'1'.repeat(61)}`, '١'])('%j is no price', (text) =>
    expect(readPrice(text)).toBeUndefined(),
  );

  it('comes back as it was, to the last digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 33n - 1n }), (price) => readPrice(priceText(price)) === price),
    );
  });

  it('reads what any float is written as, within half of the last digit', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), (usd) => {
        const price = readPrice(JSON.stringify(usd));
        expect(Number(price) / 1e18).toBeCloseTo(usd, 5);
      }),
    );
  });

  it('of another asset is multiplied exactly and rounded once', () => {
    expect(convertPrice(readPrice('3000.1') as bigint, readPrice('0.9997') as bigint)).toBe(readPrice('2999.19997'));
    expect(convertPrice(1n, 5n * 10n ** 17n)).toBe(1n);
    expect(convertPrice(1n, 4n * 10n ** 17n)).toBe(0n);
  });
});
