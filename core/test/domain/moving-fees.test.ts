import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Holding, movedBps, skewBps, volatilityBps } from '../../src/domain/moving-fees.js';

const SKEW = { extraBps: 100, discountBps: 20, weights: [] };
/** Two pots of one asset with targets of half of 1000. */
const pot = (held: bigint, taken: bigint, rest: Partial<Holding> = {}): Holding => ({
  ...{ held, taken, total: 1_000n, weight: 1, weights: 2 },
  ...rest,
});

describe('the state of a pot', () => {
  it.each([
    ['what is to be held is there after it', 600n, 100n, 0],
    ['a tenth of it would be missing', 500n, 50n, 10],
    ['nothing would be left', 500n, 500n, 100],
    ['more would be taken than there is', 100n, 400n, 100],
    ['a half more would be left', 800n, 50n, -10],
    ['twice as much would be left', 1_000n, 0n, -20],
    ['three units too little would be left, rounded up', 497n, 0n, 1],
    ['three units too much would be left, rounded up', 503n, 0n, 0],
  ])('moves the fee where %s', (_, held, taken, bps) => {
    expect(skewBps(SKEW, pot(held, taken)) + 0).toBe(bps);
  });

  it('counts parts, and knows nothing where nothing is held', () => {
    expect(skewBps(SKEW, pot(750n, 0n, { weight: 3, weights: 4 })) + 0).toBe(0);
    expect(skewBps(SKEW, pot(750n, 0n, { weight: 0, weights: 4 }))).toBe(-20);
    expect(skewBps(SKEW, pot(0n, 5n, { total: 0n }))).toBe(0);
  });

  const amount = fc.bigInt(0n, 10n ** 30n);
  const policy = fc.record({
    extraBps: fc.nat({ max: 10_000 }),
    discountBps: fc.nat({ max: 10_000 }),
    weights: fc.constant([]),
  });
  const parts = fc.record({ weight: fc.nat({ max: 1_000 }), more: fc.nat({ max: 5_000 }) });

  it('never costs less for a larger output, nor for a pot that holds less, and stays within its bounds', () => {
    fc.assert(
      fc.property(
        policy,
        amount,
        amount,
        amount,
        amount,
        parts,
        (given, held, others, one, other, { weight, more }) => {
          const [less, larger] = one < other ? [one, other] : [other, one];
          const rest = { total: held + others, weight, weights: weight + more };
          const [a, b] = [less, larger].map((taken) => skewBps(given, { held, taken, ...rest }));
          expect(a).toBeLessThanOrEqual(b ?? 0);
          for (const bps of [a, b]) {
            expect(bps).toBeGreaterThanOrEqual(-given.discountBps);
            expect(bps).toBeLessThanOrEqual(given.extraBps);
          }
          const poorer = skewBps(given, { held: held / 2n, taken: less, ...rest });
          expect(poorer).toBeGreaterThanOrEqual(a ?? 0);
        },
      ),
    );
  });
});

describe('the market of a pair', () => {
  const CALM = { windowMs: 1, calmBps: 50, percent: 10, mostBps: 30 };

  it('costs a part of what moves beyond what is usual, and no more than the most', () => {
    expect([0, 50, 51, 150, 155, 350, 100_000].map((moved) => volatilityBps(CALM, moved))).toEqual([
      0, 0, 1, 10, 11, 30, 30,
    ]);
  });

  it('never costs less for a larger move', () => {
    const moved = fc.nat({ max: 1_000_000 });
    fc.assert(
      fc.property(moved, moved, (a, b) => {
        expect(volatilityBps(CALM, Math.min(a, b))).toBeLessThanOrEqual(volatilityBps(CALM, Math.max(a, b)));
      }),
    );
  });
});

it('no discount brings the fee below what it has to cover, and none makes it negative', () => {
  expect(movedBps({ leastBps: 4 }, 10, -20, 0)).toBe(4);
  expect(movedBps({ leastBps: 4 }, 10, -20, 7)).toBe(11);
  expect(movedBps({ leastBps: 0 }, 10, -20, 0)).toBe(0);
  expect(movedBps({ leastBps: 4 }, 2, -20, 0)).toBe(2);
  expect(movedBps({ leastBps: 4 }, 10, 15, 5)).toBe(30);
  expect(movedBps({ leastBps: 0 }, 9_999, 500, 500)).toBe(10_000);
  const bps = fc.nat({ max: 10_000 });
  fc.assert(
    fc.property(bps, bps, fc.integer({ min: -10_000, max: 10_000 }), bps, (leastBps, usual, skew, moved) => {
      const total = movedBps({ leastBps }, usual, skew, moved);
      expect(total).toBeGreaterThanOrEqual(Math.min(leastBps, usual));
      expect(total).toBeLessThanOrEqual(10_000);
    }),
  );
});
