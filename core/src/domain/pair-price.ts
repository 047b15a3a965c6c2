import { divide } from './decimal.js';
import { parsePrice } from './money.js';
import { BPS } from './percent.js';

/** USD per whole unit of the two currencies of a pair, as price terms hold them: equal prices convert one to one. */
export interface PairPrice {
  readonly inUsd: string;
  readonly outUsd: string;
}

/**
 * What two members of one asset group are exchanged at.
 *
 * Promise of a group: an exchange pays at most one for one, and at most what the input is worth. An input that is worth less
 * than the output is taken at its own price; an input that is worth more is taken one to one, so that nobody earns by
 * exchanging back and forth while two sources of prices differ for a moment.
 */
export function groupPrice(inUsd: string, outUsd: string): PairPrice {
  return parsePrice(inUsd) < parsePrice(outUsd) ? { inUsd, outUsd } : { inUsd, outUsd: inUsd };
}

/** How far two prices have parted, in hundredths of a per cent of the dearer one, rounded up. */
export function partedBps(one: string, other: string): number {
  const [a, b] = [parsePrice(one), parsePrice(other)];
  const [low, high] = a < b ? [a, b] : [b, a];
  return Number(divide((high - low) * BPS, high, 'ceil'));
}
