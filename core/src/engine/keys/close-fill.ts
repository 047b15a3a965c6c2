import type { KeyEvidence } from '../../contract/legs.js';
import type { OpenKey } from '../../contract/store.js';
import type { LegRow } from '../../contract/store-rows.js';
import { failureOf } from '../../domain/leg-failure.js';
import { isDelivered } from '../../domain/request-status.js';
import { withoutInnerTopUps } from '../../domain/top-up-legs.js';
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
 * Owes back the deposit of a fill.
 *
 * Invariant: needs final evidence that the key was spent without it, so the refund is never a second payment.
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
  const failure = reverted ? failureOf(leg, reverted, withoutInnerTopUps(open.legs).length > 1) : undefined;
  const reason = reverted ? (failure?.reason ?? 'TRANSACTION_REVERTED') : closedReason(open);
  if (reason === 'ORDER_ALREADY_FILLED') {
    holdFilled(context, unit, leg);
    return;
  }
  // A transfer that takes the request over relies on this fill's state.
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

/** The order was, or may have been, filled: neither fill nor refund is owed. */
export function holdFilled(context: EngineContext, unit: UnitOfWork, leg: LegRow, why?: typeof UNREAD): void {
  if (leg.requestId !== null && unit.get('requests', leg.requestId)?.status === 'submitted')
    moveRequest(context, unit, leg.requestId, 'fillKeyClosedWithoutEffect');
  holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED', why);
}

export function neverLanded(unit: UnitOfWork, leg: LegRow): void {
  const id = `${leg.requestId}:fill:${leg.id}`;
  if (!unit.get('transactions', id)) return;
  unit.update('transactions', id, { role: 'failed', status: 'failure', block: null, timestamp: null, entry: '{}' });
}

/** No provider took it: not submitted. Taken but not in time: not included. */
export function closedReason(open: OpenKey): FailReason {
  const fills = open.attempts.filter((attempt) => attempt.legIds.length > 0);
  return fills.some((attempt) => attempt.sentAt !== null)
    ? 'TRANSACTION_NOT_INCLUDED'
    : 'TRANSACTION_SUBMISSION_FAILED';
}
