import type { CallData } from '../../contract/deposits.js';
import type { DepositRow, HoldRow, LegRow } from '../../contract/store-rows.js';
import { endsRequest, factsOf } from '../../domain/leg-facts.js';
import { holdPosting } from '../../domain/postings.js';
import { isDelivered } from '../../domain/request-status.js';
import type { FailReason, RefundFailReason } from '../../errors/fail-reasons.js';
import type { EngineContext } from '../base/context.js';
import { FRESH, UNREAD } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { expose, releaseInventory, releaseVolume } from '../books/budget.js';
import { releaseValue } from '../books/deposit-life.js';
import { endEarmark } from '../books/earmarks.js';
import { moveRequest } from '../books/requests.js';
import { refundInstead } from '../deposits/settle-deposit.js';
import { takeBackTopUp } from './take-back-top-up.js';

/**
 * Invariant: the leg is `owed` or `short` at the loaded version, so no bytes of it can still land (rule (a): a refund
 * is owed only when no fill was ever signed, or all signed bytes expired).
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
  unclaim(unit, leg, deposit);
  releaseVolume(unit, leg, deposit);
  const dead = LATE.has(reason) ? lapsed(unit, leg) : undefined;
  const why = dead === undefined ? reason : 'TRANSACTION_NOT_INCLUDED';
  unit.update('legs', leg.id, { state: 'void', reason: why });
  const given = takeBackTopUp(unit, unit.get('legs', leg.id) ?? leg);
  unit.update('requests', request.id, {
    failReason: why,
    ...(failedCall ? { failed: JSON.stringify({ call: failedCall }) } : {}),
  });
  if (dead !== undefined)
    moveRequest(context, unit, request.id, 'notIncluded', {}, { evidence: { kind: 'keyClosed', key: dead } });
  refundInstead(context, unit, unit.get('requests', request.id) ?? request, given, why);
}

const LATE: ReadonlySet<FailReason> = new Set(['PROTOCOL_DEADLINE_EXPIRED', 'TTL_EXPIRED']);

/** The last broadcast transaction of a fill, which expired or failed. */
export function lapsed(unit: UnitOfWork, leg: LegRow): string | undefined {
  const shown = unit.get('transactions', `${leg.requestId}:fill:${leg.id}`);
  return shown?.role === 'failed' ? shown.hash : undefined;
}

/** A `short` fill has no claims, but possibly an earmark. */
function unclaim(unit: UnitOfWork, leg: LegRow, deposit: DepositRow): void {
  if (leg.state === 'short') return endEarmark(unit, deposit.requestId, 'refused');
  releaseInventory(unit, leg);
  if (deposit.state === 'included') expose(unit, deposit, -1n);
}

function holdId(leg: LegRow): string {
  return `hold:${leg.id}:${leg.version}`;
}

export function isHoldOf(hold: Pick<HoldRow, 'id'>, leg: Pick<LegRow, 'id'>): boolean {
  return hold.id.startsWith(`hold:${leg.id}:`);
}

/**
 * For what cannot be refunded, and for a fill that landed without this ledger (a restored backup, another service with
 * the same key), where a refund would be a second payment. The request ends in `failure`; a held excess leaves it.
 */
export function holdLeg(
  context: EngineContext,
  unit: UnitOfWork,
  leg: LegRow,
  reason: RefundFailReason,
  why: string = reason,
): void {
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  if (leg.requestId === null || !deposit) throw new Error(`${leg.id} cannot be held`);
  const now = context.clock.now();
  const { delivers } = factsOf(leg);
  if (delivers) {
    unclaim(unit, leg, deposit);
    unit.update('requests', leg.requestId, { failReason: 'ORDER_ALREADY_FILLED' });
    if (why !== UNREAD)
      context.alerts.raise(`filled-unknown:${leg.id}`, 'An order was filled by a transaction unknown to this ledger', {
        requestId: leg.requestId,
        leg: leg.id,
      });
  }
  const held = unit.update('legs', leg.id, { state: 'held', reason: why, ...FRESH });
  const { covers } = delivers ? takeBackTopUp(unit, held) : held;
  // A released leg may be held again: each time is its own hold.
  const id = holdId(leg);
  unit.insert('holds', {
    id,
    version: 1,
    requestId: leg.requestId,
    fundingKey: deposit.fundingKey,
    transactionHash: deposit.transactionHash,
    chainId: deposit.chainId,
    currency: deposit.currency,
    amount: covers,
    reason,
    state: 'open',
    createdAt: now,
  });
  const meta = { groupId: id, requestId: leg.requestId, legId: leg.id, createdAt: now };
  unit.post(holdPosting(meta, deposit.chainId, deposit.currency, covers, 1n));
  const request = unit.get('requests', leg.requestId);
  if (endsRequest(leg) && request) {
    const set = { refundFailReason: reason };
    // A request that was reported as filled keeps its status.
    const stays = request.status === 'failure' || (delivers && isDelivered(request));
    if (stays) unit.update('requests', request.id, set);
    else moveRequest(context, unit, request.id, 'refundHeld', set, { evidence: { kind: 'nothingOwed', reason } });
  }
  releaseValue(context, unit, deposit.fundingKey);
  context.log.warn({ requestId: leg.requestId, leg: leg.id, reason }, 'value held for an operator');
}
