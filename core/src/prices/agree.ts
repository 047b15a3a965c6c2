import { divide } from '../domain/decimal.js';
import { BPS } from '../domain/percent.js';

/** One provider's word, USD scaled by 10^18. */
export interface Told {
  readonly provider: string;
  readonly price: bigint;
}

export interface Agreement {
  /** Median of those that agree; undefined when there are fewer than asked for. */
  readonly price: bigint | undefined;
  readonly used: readonly Told[];
  /** Further from the median of all than allowed. */
  readonly dropped: readonly Told[];
}

/** Middle value; of an even number the mean of the two in the middle, rounded to the nearest. Of nothing: undefined. */
export function median(prices: readonly bigint[]): bigint | undefined {
  const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper === undefined || lower === undefined ? undefined : divide(lower + upper, 2n, 'half');
}

/** Whether a price is at most so many basis points of `centre` away from it. */
export function isWithin(price: bigint, centre: bigint, bps: bigint): boolean {
  const distance = price < centre ? centre - price : price - centre;
  return distance * BPS <= centre * bps;
}

/**
 * What several providers say together. Those too far from the median of all are dropped, and the median of the others
 * counts when at least `least` are left: a minority cannot move it beyond the band, and two camps have no price.
 */
export function agree(told: readonly Told[], least: number, outlierBps: bigint): Agreement {
  const centre = median(told.map(({ price }) => price));
  if (centre === undefined) return { price: undefined, used: [], dropped: [] };
  const used = told.filter(({ price }) => isWithin(price, centre, outlierBps));
  const dropped = told.filter(({ price }) => !isWithin(price, centre, outlierBps));
  return { price: used.length < least ? undefined : median(used.map(({ price }) => price)), used, dropped };
}
