import type { DepositRow, HoldRow, LegRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import { holdPosting } from '../../domain/postings.js';
import type { EngineContext } from '../base/context.js';
import { loadViews } from '../base/load.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { isHoldOf } from '../payouts/give-up.js';
import type { OperatorOutcome } from './outcomes.js';

/** A hold and its movement, as one change set sees them. */
export interface Held {
  readonly hold: HoldRow;
  /** The held movement; undefined where unknown. */
  readonly leg: LegRow | undefined;
  readonly deposit: DepositRow | undefined;
}

export async function readHeld(context: EngineContext, unit: UnitOfWork, hold: HoldRow): Promise<Held> {
  await loadViews(context, unit, [hold.requestId], [hold.fundingKey]);
  return {
    hold: unit.load('holds', hold),
    leg: unit.all('legs').find((one) => isHoldOf(hold, one)),
    deposit: unit.get('deposits', hold.fundingKey),
  };
}

export function endHold(context: EngineContext, unit: UnitOfWork, hold: HoldRow, leg: LegRow): void {
  unit.update('holds', hold.id, { state: 'released' });
  const meta = {
    groupId: `release:${hold.id}`,
    requestId: hold.requestId,
    legId: leg.id,
    createdAt: context.clock.now(),
  };
  unit.post(holdPosting(meta, hold.chainId, hold.currency, hold.amount, -1n));
}

/** Under the once-only use that it has always had. */
export function oweAgain(unit: UnitOfWork, leg: LegRow, recipient: string): LegRow {
  // Payouts from inventory must claim it again.
  const state = factsOf(leg).paidWithFill ? 'short' : 'owed';
  return unit.update('legs', leg.id, { state, recipient, key: null, reason: null, includedAt: null });
}

export function progressOf(leg: LegRow | undefined): Extract<OperatorOutcome, { ok: true }> {
  const message = leg ? `released before; its payment to ${leg.recipient} is ${leg.state}` : 'released before';
  return leg?.state === 'done'
    ? { ok: true, state: 'alreadyDone', message, legId: leg.id }
    : { ok: true, state: 'inProgress', message, ...(leg ? { legId: leg.id } : {}) };
}
