import type { Pool, PoolSide, Range } from './liquidity.js';

const SPACING: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 };

const SPREAD = [
  [600, 40n],
  [6_000, 60n],
] as const;

export function poolOf(sides: readonly [PoolSide, PoolSide], fee: number): readonly [Pool, readonly Range[]] {
  const [one, other] = sides;
  const [[token0, amount0], [token1, amount1]] =
    one[0].toLowerCase() < other[0].toLowerCase() ? [one, other] : [other, one];
  const spacing = SPACING[fee];
  if (spacing === undefined) throw new Error(`no pools of fee ${fee}`);
  const tick = Math.log(Number(amount1) / Number(amount0)) / Math.log(1.0001);
  const ranges = SPREAD.map(([width, part]) => ({
    tickLower: Math.floor((tick - width) / spacing) * spacing,
    tickUpper: Math.ceil((tick + width) / spacing) * spacing,
    amount0: (amount0 * part) / 100n,
    amount1: (amount1 * part) / 100n,
  }));
  return [{ token0, token1, fee, sqrtPrice: squareRoot((amount1 << 192n) / amount0) }, ranges];
}

function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}
