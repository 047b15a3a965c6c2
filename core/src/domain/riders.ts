import type { LegRow } from '../contract/store-rows.js';
import { factsOf } from './leg-facts.js';

type Known = Pick<LegRow, 'kind' | 'requestId'>;

/**
 * Whether a leg rides in the transaction of its order's fill, given the legs that share a key: coin for the calls of an order, which
 * moves with the fill or not at all. What goes out after a fill never shares its key.
 */
export function rides(leg: Known, legs: readonly Known[]): boolean {
  if (!factsOf(leg).besideFill) return false;
  return legs.some((other) => factsOf(other).delivers && other.requestId === leg.requestId);
}

/**
 * The legs of a key that move by themselves. Who counts what shares a transaction counts these: a fill with its rider is alone, as is
 * what becomes of it.
 */
export function movers<L extends Known>(legs: readonly L[]): readonly L[] {
  return legs.filter((leg) => !rides(leg, legs));
}

/** The same legs, those that ride before the others: what becomes of a fill is decided with its rider known. */
export function ridersFirst<L extends Known>(legs: readonly L[]): readonly L[] {
  const own = movers(legs);
  return own.length === legs.length ? legs : [...legs.filter((leg) => !own.includes(leg)), ...own];
}
