import { divide } from '../domain/decimal.js';
import { BPS } from '../domain/percent.js';

export interface Reported {
  readonly provider: string;
  readonly price: bigint;
}

export interface Agreement {
  readonly price: bigint | undefined;
  readonly used: readonly Reported[];
  readonly dropped: readonly Reported[];
}

/** Of an even number the mean of the two middle values, rounded to the nearest. Of none: undefined. */
export function median(prices: readonly bigint[]): bigint | undefined {
  const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper === undefined || lower === undefined ? undefined : divide(lower + upper, 2n, 'half');
}

export function isWithin(price: bigint, centre: bigint, bps: bigint): boolean {
  const distance = price < centre ? centre - price : price - centre;
  return distance * BPS <= centre * bps;
}

/**
 * Outliers from the overall median are dropped, and the median of the rest counts if at least `least` are left. A
 * minority cannot move it beyond the band, and two camps have no price.
 */
export function agree(reported: readonly Reported[], least: number, outlierBps: bigint): Agreement {
  const centre = median(reported.map(({ price }) => price));
  if (centre === undefined) return { price: undefined, used: [], dropped: [] };
  const used = reported.filter(({ price }) => /* guard: price-outliers */ isWithin(price, centre, outlierBps));
  const dropped = reported.filter(({ price }) => !isWithin(price, centre, outlierBps));
  return { price: used.length < least ? undefined : median(used.map(({ price }) => price)), used, dropped };
}
