import { divide } from './decimal.js';
import { parsePrice } from './money.js';
import { BPS } from './percent.js';

/** USD per whole unit of both currencies, as price terms hold them: equal prices convert one to one. */
export interface PairPrice {
  readonly inUsd: string;
  readonly outUsd: string;
}

/**
 * Exchange price of two members of one asset group.
 *
 * Invariant: at most one for one, and at most the input's value. So no one profits from exchanging back and forth
 * while two price sources differ.
 */
export function groupPrice(inUsd: string, outUsd: string): PairPrice {
  // guard: members-at-own-price
  return parsePrice(inUsd) < parsePrice(outUsd) ? { inUsd, outUsd } : { inUsd, outUsd: inUsd };
}

/** Distance of two prices in basis points of the higher one, rounded up. */
export function partedBps(one: string, other: string): number {
  const [a, b] = [parsePrice(one), parsePrice(other)];
  const [low, high] = a < b ? [a, b] : [b, a];
  return Number(divide((high - low) * BPS, high, 'ceil'));
}
