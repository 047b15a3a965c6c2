import { divide } from './decimal.js';
import { BPS } from './percent.js';

export interface SkewPolicy {
  /** Largest surcharge, if the output empties the target inventory. */
  readonly extraBps: number;
  /** Largest discount, if at least twice the target is held. */
  readonly discountBps: number;
  readonly weights: readonly { readonly chainId: number; readonly weight: number }[];
}

export interface VolatilityPolicy {
  /** Lookback, milliseconds. */
  readonly windowMs: number;
  /** A move up to this adds nothing. */
  readonly calmBps: number;
  /** Per cent of the move beyond `calmBps` that is added. */
  readonly percent: number;
  readonly mostBps: number;
}

/** Absent parts do not move the fee. */
export interface MovingFeePolicy {
  /** Lower bound of the fee after discounts. */
  readonly leastBps: number;
  readonly skew?: SkewPolicy;
  readonly volatility?: VolatilityPolicy;
}

export interface Holding {
  readonly held: bigint;
  readonly total: bigint;
  readonly taken: bigint;
  /** Of the pot, and of all pots together: the quotient times the total is the pot's target. */
  readonly weight: number;
  readonly weights: number;
}

/**
 * Fee change, proportional to the deviation from the target after the quote. Monotonic in the output: rounded up,
 * also where negative.
 */
export function skewBps({ extraBps, discountBps }: SkewPolicy, holding: Holding): number {
  const { held, total, taken, weight, weights } = holding;
  if (total <= 0n || weights <= 0) return 0;
  const target = total * BigInt(weight);
  const missing = target - (held - taken) * BigInt(weights);
  if (missing > 0n) return missing >= target ? extraBps : share(extraBps, missing, target);
  return -missing >= target ? -discountBps : share(discountBps, missing, target);
}

function share(bps: number, part: bigint, whole: bigint): number {
  return Number(divide(BigInt(bps) * part, whole, 'ceil'));
}

export function volatilityBps({ calmBps, percent, mostBps }: VolatilityPolicy, movedBps: number): number {
  return Math.min(mostBps, Math.ceil((Math.max(0, movedBps - calmBps) * percent) / 100));
}

/**
 * Basis points of the input. A discount never brings it below the lesser of `leastBps` and the route's usual fee, nor
 * below zero.
 */
export function movedBps({ leastBps }: MovingFeePolicy, usualBps: number, skew: number, volatility: number): number {
  const most = Number(BPS);
  return Math.min(most, Math.max(usualBps + skew, Math.min(leastBps, usualBps)) + volatility);
}
