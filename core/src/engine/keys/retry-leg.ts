import type { KeyEvidence } from '../../contract/legs.js';
import type { LegRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { EngineContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { holdLeg } from '../payouts/give-up.js';

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

const MOST_REVERTS = 3;
/** A payment that no block takes, however often it is signed anew, as to a party that refuses it. */
const MOST_CLOSINGS = 10;
const RETRY_MS = 5_000;
const MOST_RETRY_MS = 60_000;

/** What leaves the depository is still owed: its old key is spent for good without it, so a new one may be taken. */
export function retryLeg(context: EngineContext, unit: UnitOfWork, leg: LegRow, reverted: Spent | null): void {
  const reverts = leg.reverts + (reverted ? 1 : 0);
  const closings = leg.closings + (reverted ? 0 : 1);
  if (!factsOf(leg).isOwn && (reverts >= MOST_REVERTS || closings >= MOST_CLOSINGS)) {
    holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED');
    return;
  }
  unit.update('legs', leg.id, {
    state: 'owed',
    key: null,
    includedAt: null,
    reverts,
    closings,
    dueAt: context.clock.now() + Math.min(RETRY_MS * Math.max(1, closings), MOST_RETRY_MS),
  });
}
