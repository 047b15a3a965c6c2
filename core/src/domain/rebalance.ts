import type { ChainId } from '../contract/ids.js';
import { divide, powerOfTen } from './decimal.js';

/** Holdings of one currency on one chain; smallest unit. */
export interface Holding {
  readonly chainId: ChainId;
  readonly currency: string;
  readonly decimals: number;
  /** Currencies of one group are the same asset. */
  readonly group: string;
  readonly held: bigint;
  /** Of it, what may be withdrawn. */
  readonly withdrawable: bigint;
  readonly target: bigint;
}

export interface Move {
  readonly from: Holding;
  readonly to: Holding;
  /** Smallest unit of `from`. */
  readonly amount: bigint;
  /** The same in the smallest unit of `to`, rounded down. */
  readonly arrives: bigint;
}

export interface RebalancePlan {
  readonly moves: readonly Move[];
  /** What no surplus of the same asset covers; smallest unit. */
  readonly missing: readonly { readonly holding: Holding; readonly amount: bigint }[];
}

/**
 * From surplus to deficit within each asset group, the largest deficit first. Never more than may be withdrawn, and never
 * below a target.
 */
export function planRebalance(holdings: readonly Holding[]): RebalancePlan {
  const moves: Move[] = [];
  const missing: { holding: Holding; amount: bigint }[] = [];
  for (const group of new Set(holdings.map((one) => one.group))) {
    const members = holdings.filter((one) => one.group === group);
    const digits = Math.max(...members.map(({ decimals }) => decimals));
    const scaled = (amount: bigint, { decimals }: Holding) => amount * powerOfTen(digits - decimals);
    const surplus = members
      .map((holding) => ({ holding, left: scaled(surplusOf(holding), holding) }))
      .filter(({ left }) => left > 0n)
      .sort((a, b) => compare(b.left, a.left));
    const deficits = members
      .map((holding) => ({ holding, left: scaled(holding.target - holding.held, holding) }))
      .filter(({ left }) => left > 0n)
      .sort((a, b) => compare(b.left, a.left));
    for (const deficit of deficits) {
      for (const source of surplus) {
        const whole = source.left < deficit.left ? source.left : deficit.left;
        const amount = whole / powerOfTen(digits - source.holding.decimals);
        const arrives = divide(scaled(amount, source.holding), powerOfTen(digits - deficit.holding.decimals), 'floor');
        if (amount === 0n || arrives === 0n) continue;
        moves.push({ from: source.holding, to: deficit.holding, amount, arrives });
        source.left -= scaled(amount, source.holding);
        deficit.left -= scaled(arrives, deficit.holding);
      }
      const amount = deficit.left / powerOfTen(digits - deficit.holding.decimals);
      if (amount > 0n) missing.push({ holding: deficit.holding, amount });
    }
  }
  return { moves, missing };
}

function surplusOf({ held, target, withdrawable }: Holding): bigint {
  const over = held - target;
  return over < withdrawable ? over : withdrawable;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
