import type { KeyEvidence } from '../../contract/legs.js';
import type { LegRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { EngineContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { holdLeg } from '../payouts/give-up.js';

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

const MAX_REVERTS = 3;
/** Limit for a payment that no block includes. */
const MAX_CLOSINGS = 10;
const FIRST_RETRY_DELAY_MS = 5_000;
const MAX_RETRY_DELAY_MS = 60_000;

/** The old key is finally spent without the leg, so it may take a new one. */
export function retryLeg(context: EngineContext, unit: UnitOfWork, leg: LegRow, reverted: Spent | null): void {
  if (!factsOf(leg).movesSolverMoney && isWornOut(endsOf(leg, reverted)))
    holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED');
  else oweAfterClosing(context, unit, leg, reverted);
}

export function isWornOut({ reverts, closings }: Pick<LegRow, 'reverts' | 'closings'>): boolean {
  return reverts >= MAX_REVERTS || closings >= MAX_CLOSINGS;
}

function endsOf({ reverts, closings }: LegRow, reverted: Spent | null): Pick<LegRow, 'reverts' | 'closings'> {
  return reverted ? { reverts: reverts + 1, closings } : { reverts, closings: closings + 1 };
}

export function oweAfterClosing(context: EngineContext, unit: UnitOfWork, leg: LegRow, reverted: Spent | null): void {
  const ends = endsOf(leg, reverted);
  unit.update('legs', leg.id, {
    state: 'owed',
    key: null,
    includedAt: null,
    ...ends,
    dueAt: context.clock.now() + Math.min(FIRST_RETRY_DELAY_MS * Math.max(1, ends.closings), MAX_RETRY_DELAY_MS),
  });
}
