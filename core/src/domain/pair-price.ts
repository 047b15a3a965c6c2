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
 * Promise of a group: nobody gets more than one for one, and nobody more than what was paid in is worth. A member that is
 * worth less than the other is taken at its own price; one that is worth more is taken one to one, so that two sources of
 * prices that differ for a moment pay nobody for going back and forth.
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
