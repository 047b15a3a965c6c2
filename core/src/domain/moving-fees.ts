import { divide } from './decimal.js';
import { BPS } from './percent.js';

/** How the service fee follows what a quote would do to the inventory. Hundredths of a per cent. */
export interface SkewPolicy {
  /** Most taken besides, where the output leaves nothing of what is to be held. */
  readonly extraBps: number;
  /** Most given back, where twice as much is held as is to be, or more. */
  readonly discountBps: number;
  /** Parts of an asset group that are to be held on each chain; a chain that is not named has one. */
  readonly weights: readonly { readonly chainId: number; readonly weight: number }[];
}

/** How the service fee follows the market of a pair. Hundredths of a per cent. */
export interface VolatilityPolicy {
  /** What is looked back on, milliseconds. */
  readonly windowMs: number;
  /** A pair that moved by no more costs nothing besides. */
  readonly calmBps: number;
  /** Per cent of a move beyond that which is taken. */
  readonly percent: number;
  readonly mostBps: number;
}

/** Absent parts do not move the fee. */
export interface MovingFeePolicy {
  /** No discount brings the fee below this: what it has to cover whatever the inventory needs. */
  readonly leastBps: number;
  readonly skew?: SkewPolicy;
  readonly volatility?: VolatilityPolicy;
}

/** One pot of an asset group, with the whole group in the same unit. */
export interface Holding {
  /** Held by the pot that pays. */
  readonly held: bigint;
  /** Held by all pots of the group. */
  readonly total: bigint;
  /** What the quote would take of the pot. */
  readonly taken: bigint;
  /** Of the pot, and of all pots of the group together: its part of the total is what is to be held. */
  readonly weight: number;
  readonly weights: number;
}

/**
 * What the state of a pot adds to the fee of a quote, or takes from it: in proportion to what would be missing of, or be more than,
 * what is to be held after it. Never less for a larger output: rounded up, also where it is negative.
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

/** What a pair that moved so far within the window adds to the fee of a quote. Never negative, and never less for a larger move. */
export function volatilityBps({ calmBps, percent, mostBps }: VolatilityPolicy, movedBps: number): number {
  return Math.min(mostBps, Math.ceil((Math.max(0, movedBps - calmBps) * percent) / 100));
}

/**
 * The service fee of a quote, hundredths of a per cent of the input. A discount never brings it below `leastBps`, nor below what is
 * usual on the route where that is less; never below zero.
 */
export function movedBps({ leastBps }: MovingFeePolicy, usualBps: number, skew: number, volatility: number): number {
  const most = Number(BPS);
  return Math.min(most, Math.max(usualBps + skew, Math.min(leastBps, usualBps)) + volatility);
}
