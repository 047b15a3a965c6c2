import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keptOf, sentFor } from '../src/transfer-fee.js';

const fees = fc.record({
  basisPoints: fc.bigInt({ min: 0n, max: 9_999n }),
  maximum: fc.bigInt({ min: 0n, max: 10n ** 12n }),
});

it('sends the least that lets an amount arrive', () => {
  fc.assert(
    fc.property(fees, fc.bigInt({ min: 1n, max: 10n ** 18n }), (fee, arriving) => {
      const sent = sentFor(fee, arriving) ?? -1n;
      expect(sent - keptOf(fee, sent)).toBeGreaterThanOrEqual(arriving);
      expect(sent - 1n - keptOf(fee, sent - 1n)).toBeLessThan(arriving);
    }),
  );
});

it('knows that nothing arrives where all is kept', () => {
  expect(sentFor({ basisPoints: 10_000n, maximum: 2n ** 64n }, 5n)).toBe(5n + 2n ** 64n);
  expect(sentFor({ basisPoints: 10_000n, maximum: 3n }, 5n)).toBe(8n);
});
