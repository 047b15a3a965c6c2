import type { KeyEvidence, LegFailure } from '../contract/legs.js';
import type { LegRow } from '../contract/store-rows.js';

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

/** The leg's own cause, else the transaction's unless several legs share it. */
export function failureOf(leg: Pick<LegRow, 'id'>, spent: Spent, shared: boolean): LegFailure | undefined {
  const own = spent.effects.find(({ legId }) => legId === leg.id)?.failure;
  return own ?? (shared ? undefined : spent.failure);
}
