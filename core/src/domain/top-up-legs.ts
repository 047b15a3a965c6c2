import type { LegRow } from '../contract/store-rows.js';
import { factsOf } from './leg-facts.js';

type Known = Pick<LegRow, 'kind' | 'requestId'>;

/** Native coin for an order's calls moves atomically with the fill. Legs after a fill never share its key. */
export function isPaidWithFill(leg: Known, legs: readonly Known[]): boolean {
  if (!factsOf(leg).paidWithFill) return false;
  return legs.some((other) => factsOf(other).delivers && other.requestId === leg.requestId);
}

/** Legs without inner top-ups: a fill with its top-up counts as one leg. */
export function withoutInnerTopUps<L extends Known>(legs: readonly L[]): readonly L[] {
  return legs.filter((leg) => !isPaidWithFill(leg, legs));
}

/** Inner top-ups first, because the outcome of a fill depends on that of its top-up. */
export function topUpsFirst<L extends Known>(legs: readonly L[]): readonly L[] {
  const own = withoutInnerTopUps(legs);
  return own.length === legs.length ? legs : [...legs.filter((leg) => !own.includes(leg)), ...own];
}
