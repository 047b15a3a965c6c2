import type { KeyEvidence, LegFailure } from '../contract/legs.js';
import type { LegRow } from '../contract/store-rows.js';

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

/**
 * Why a leg did not happen in a transaction that landed: what the chain tells of this leg, else of the transaction, which says
 * nothing about one of several.
 */
export function failureOf(leg: Pick<LegRow, 'id'>, spent: Spent, shared: boolean): LegFailure | undefined {
  const own = spent.effects.find(({ legId }) => legId === leg.id)?.failure;
  return own ?? (shared ? undefined : spent.failure);
}
