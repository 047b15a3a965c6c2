import type { CallData } from '../contract/deposits.js';
import type { LegRow } from '../contract/store-rows.js';
import { holdPosting } from '../domain/postings.js';
import type { FailReason, RefundFailReason } from '../errors/fail-reasons.js';
import { expose, releaseInventory } from './budget.js';
import type { EngineContext } from './context.js';
import { releaseValue } from './deposit-life.js';
import { moveRequest } from './requests.js';
import { refundInstead } from './settle-deposit.js';
import type { UnitOfWork } from './unit-of-work.js';

/**
 * Gives up a fill that nothing was ever signed for, and owes its deposit back.
 *
 * Invariant: the leg is `owed` or `short` at the version this unit of work loaded, so no bytes exist for it (rule (a):
 * a refund is owed only when no fill bytes were ever signed).
 */
export function voidFill(
  context: EngineContext,
  unit: UnitOfWork,
  leg: LegRow,
  reason: FailReason,
  failedCall?: CallData,
): void {
  if (leg.state !== 'owed' && leg.state !== 'short')
    throw new Error(`fill ${leg.id} is ${leg.state}, it cannot be voided`);
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  if (!request || !deposit) throw new Error(`the request of ${leg.id} was not loaded`);
  if (leg.state === 'owed') {
    releaseInventory(unit, leg);
    if (deposit.state === 'included') expose(unit, deposit, -1n);
  }
  unit.update('legs', leg.id, { state: 'void', reason });
  unit.update('requests', request.id, {
    failReason: reason,
    ...(failedCall ? { failed: JSON.stringify({ call: failedCall }) } : {}),
  });
  refundInstead(context, unit, request, leg, reason);
}

/**
 * Parks value that cannot be paid back automatically, under a name, where an operator sees it: never silence.
 * A refund that is held ends its request in `failure`; a held excess leaves the request as it is.
 */
export function holdLeg(context: EngineContext, unit: UnitOfWork, leg: LegRow, reason: RefundFailReason): void {
  if (leg.requestId === null || leg.fundingKey === null) throw new Error(`${leg.id} cannot be held`);
  const now = context.clock.now();
  unit.update('legs', leg.id, { state: 'held', reason });
  unit.insert('holds', {
    id: `hold:${leg.id}`,
    version: 1,
    requestId: leg.requestId,
    fundingKey: leg.fundingKey,
    chainId: leg.chainId,
    currency: leg.currency,
    amount: leg.covers,
    reason,
    state: 'open',
    createdAt: now,
  });
  const meta = { groupId: `hold:${leg.id}`, requestId: leg.requestId, legId: leg.id, createdAt: now };
  unit.post(holdPosting(meta, leg.chainId, leg.currency, leg.covers, 1n));
  const request = unit.get('requests', leg.requestId);
  if (leg.kind === 'refund' && request) {
    const set = { refundFailReason: reason };
    if (request.status === 'failure') unit.update('requests', request.id, set);
    else moveRequest(context, unit, request.id, 'refundHeld', set, { evidence: { kind: 'nothingOwed', reason } });
  }
  releaseValue(unit, leg.fundingKey);
  context.log.warn({ requestId: leg.requestId, leg: leg.id, reason }, 'value held for an operator');
}
