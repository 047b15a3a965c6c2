import { describe, expect, it } from 'vitest';
import { type Holding, planRebalance } from '../../src/domain/rebalance.js';

const holding = (chainId: number, change: Partial<Holding>): Holding => ({
  ...{ chainId, currency: 'usd', decimals: 6, group: 'usd-coin', held: 0n, withdrawable: 0n, target: 0n },
  ...change,
});

const moved = (plan: ReturnType<typeof planRebalance>) =>
  plan.moves.map(({ from, to, amount, arrives }) => [from.chainId, to.chainId, amount, arrives]);

describe('a plan to rebalance', () => {
  it('moves a surplus to the largest deficit first, and says what no surplus covers', () => {
    const plan = planRebalance([
      holding(1, { held: 900n, withdrawable: 900n, target: 400n }),
      holding(2, { held: 100n, target: 500n }),
      holding(3, { held: 0n, target: 300n }),
    ]);
    expect(moved(plan)).toEqual([
      [1, 2, 400n, 400n],
      [1, 3, 100n, 100n],
    ]);
    expect(plan.missing).toMatchObject([{ holding: { chainId: 3 }, amount: 200n }]);
  });

  it('takes no more than may be withdrawn, and nothing of another asset', () => {
    const plan = planRebalance([
      holding(1, { held: 900n, withdrawable: 70n, target: 400n }),
      holding(4, { held: 900n, withdrawable: 900n, group: 'ether', currency: 'eth' }),
      holding(2, { held: 100n, target: 500n }),
    ]);
    expect(moved(plan)).toEqual([[1, 2, 70n, 70n]]);
    expect(plan.missing).toMatchObject([{ amount: 330n }]);
  });

  it('converts between decimals without a remainder that is sent and does not arrive', () => {
    const plan = planRebalance([
      holding(1, { held: 5_000_000_000_000n, withdrawable: 5_000_000_000_000n, decimals: 18 }),
      holding(2, { held: 0n, target: 10n }),
    ]);
    expect(moved(plan)).toEqual([[1, 2, 5_000_000_000_000n, 5n]]);
    expect(plan.missing).toMatchObject([{ amount: 5n }]);
  });

  it('is empty where nothing is missing', () => {
    expect(planRebalance([])).toEqual({ moves: [], missing: [] });
    expect(planRebalance([holding(1, { held: 9n, withdrawable: 9n, target: 9n })])).toEqual({ moves: [], missing: [] });
  });
});
