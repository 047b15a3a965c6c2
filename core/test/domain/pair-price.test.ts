import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convert } from '../../src/domain/money.js';
import { groupPrice, partedBps } from '../../src/domain/pair-price.js';

describe('two members of one group', () => {
  it('are exchanged one to one at equal prices, and where the output is more expensive', () => {
    expect(groupPrice('1', '1.00')).toEqual({ inUsd: '1', outUsd: '1' });
    expect(groupPrice('0.60', '1')).toEqual({ inUsd: '0.60', outUsd: '1' });
    expect(groupPrice('1', '0.60')).toEqual({ inUsd: '1', outUsd: '1' });
  });

  it('give no one more than one for one, nor more than what was paid in is worth', () => {
    const cents = fc.integer({ min: 1, max: 300 }).map((n) => (n / 100).toFixed(2));
    fc.assert(
      fc.property(cents, cents, fc.bigInt(1n, 10n ** 12n), (paid, got, amount) => {
        const { inUsd, outUsd } = groupPrice(paid, got);
        const out = convert(amount, 6, inUsd, 6, outUsd, 'floor');
        expect(out <= amount).toBe(true);
        expect(Number(out) * Number(got)).toBeLessThanOrEqual(Number(amount) * Number(paid) * 1.000_001 + 1);
      }),
    );
  });

  it('have parted by a share of the more expensive one', () => {
    expect(partedBps('1', '1')).toBe(0);
    expect(partedBps('1', '0.99')).toBe(100);
    expect(partedBps('0.99', '1')).toBe(100);
    expect(partedBps('1', '0.9899')).toBe(101);
    expect(partedBps('1', '0.60')).toBe(4_000);
  });
});
