import type { KeyEvidence } from '../../contract/legs.js';
import type { OpenKey } from '../../contract/store.js';
import type { LegRow } from '../../contract/store-rows.js';
import { failureOf } from '../../domain/leg-failure.js';
import { isDelivered } from '../../domain/request-status.js';
import { movers } from '../../domain/riders.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import type { EngineContext } from '../base/context.js';
import type { UNREAD } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { releaseInventory, releaseVolume } from '../books/budget.js';
import { moveRequest } from '../books/requests.js';
import { refundInstead } from '../deposits/settle-deposit.js';
import { holdLeg } from '../payouts/give-up.js';
import { takeBackTopUp } from '../payouts/take-back-top-up.js';

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

/**
 * A fill whose key is spent, finally, without it: its deposit is owed back.
 *
 * Invariant: this runs only on final evidence about the key, so the fill can never land and the refund can never be
 * the second payment.
 */
export function closeFill(
  context: EngineContext,
  unit: UnitOfWork,
  open: OpenKey,
  leg: LegRow,
  reverted: Spent | null,
): void {
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  if (!request) throw new Error(`the request of ${leg.id} was not loaded`);
  const failure = reverted ? failureOf(leg, reverted, movers(open.legs).length > 1) : undefined;
  const reason = reverted ? (failure?.reason ?? 'TRANSACTION_REVERTED') : closedReason(open);
  if (reason === 'ORDER_ALREADY_FILLED') {
    holdFilled(context, unit, leg);
    return;
  }
  // A change set that lets another transfer take the request over relies on the state of this fill.
  unit.touch('requests', request.id);
  if (request.fillTimeMs !== null) unit.update('requests', request.id, { fillTimeMs: null });
  releaseInventory(unit, leg);
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  if (deposit) releaseVolume(unit, leg, deposit);
  const closed = takeBackTopUp(unit, unit.update('legs', leg.id, { state: 'closed', reason }));
  if (!reverted) neverLanded(unit, leg);
  const evidence = { kind: 'keyClosed', key: open.key.key } as const;
  if (isDelivered(request)) {
    moveRequest(context, unit, request.id, 'fillDroppedForGood', { failReason: reason }, { evidence });
  } else if (reverted) {
    if (request.status === 'submitted')
      moveRequest(context, unit, request.id, 'fillKeyClosedWithoutEffect', { failReason: reason });
    else unit.update('requests', request.id, { failReason: request.failReason ?? reason });
  } else if (request.status === 'pending' || request.status === 'submitted') {
    const trigger = reason === 'TRANSACTION_SUBMISSION_FAILED' ? 'submissionFailed' : 'notIncluded';
    moveRequest(context, unit, request.id, trigger, { failReason: reason }, { evidence });
  }
  refundInstead(context, unit, unit.get('requests', request.id) ?? request, closed, reason);
}

/** The order was filled, or may have been: neither a fill nor a refund is owed as far as this ledger can know. */
export function holdFilled(context: EngineContext, unit: UnitOfWork, leg: LegRow, why?: typeof UNREAD): void {
  if (leg.requestId !== null && unit.get('requests', leg.requestId)?.status === 'submitted')
    moveRequest(context, unit, leg.requestId, 'fillKeyClosedWithoutEffect');
  holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED', why);
}

/** The request showed the fill as soon as it was broadcast; no chain will ever show it. */
export function neverLanded(unit: UnitOfWork, leg: LegRow): void {
  const id = `${leg.requestId}:fill:${leg.id}`;
  if (!unit.get('transactions', id)) return;
  unit.update('transactions', id, { role: 'failed', status: 'failure', block: null, timestamp: null, entry: '{}' });
}

/** Never taken by any provider: it could not be submitted. Taken but not included in time: it was not included. */
function closedReason(open: OpenKey): FailReason {
  const fills = open.attempts.filter((attempt) => attempt.legIds.length > 0);
  return fills.some((attempt) => attempt.sentAt !== null)
    ? 'TRANSACTION_NOT_INCLUDED'
    : 'TRANSACTION_SUBMISSION_FAILED';
}
