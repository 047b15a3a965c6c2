import type { DepositBatch, DepositObservation } from '../../contract/deposits.js';
import type { DepositRow, RequestRow } from '../../contract/store-rows.js';
import type { FailureEvidence, Trigger } from '../../domain/transitions.js';
import type { EngineContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { NO_RIVAL, noteDeposit } from './reported-deposits.js';
import { moveRequest } from './requests.js';

type Rival = NonNullable<DepositObservation['rival']>;
type Heads = Pick<DepositBatch, 'head' | 'finalized'>;

/**
 * Deposits seen only in the mempool.
 *
 * Invariants: nothing is booked, reserved or sent for one. Its request fails once a rival spend is final (G7) or its
 * order can no longer be filled. If it lands anyway, a proven failure is reversed; otherwise it is refunded.
 */
export function isOutspent({ state, rivalHeight }: Pick<DepositRow, 'state' | 'rivalHeight'>): boolean {
  return state === 'mempool' && rivalHeight !== null;
}

/** The request waits for the rival's finality: another deposit may replace this one, or a reorg restore it. */
export function outspend(context: EngineContext, unit: UnitOfWork, { fundingKey }: DepositRow, { block }: Rival): void {
  const row = unit.update('deposits', fundingKey, { rivalHeight: block.height, rivalBlockId: block.id });
  noteDeposit(context, unit, row, 'failure');
}

export function waitAgain(context: EngineContext, unit: UnitOfWork, { fundingKey }: DepositRow): void {
  noteDeposit(context, unit, unit.update('deposits', fundingKey, NO_RIVAL), 'success');
}

export function mayEnd(context: EngineContext, deposit: DepositRow, { head, finalized }: Heads): boolean {
  if (isOutspent(deposit)) return (deposit.rivalHeight ?? 0) <= finalized.height;
  return head.timestamp - deposit.seenAt > context.policy.confirmationTimeoutMs;
}

/** By the chain's clock: while the chain stalls, nothing can land. */
export function endUnconfirmed(
  context: EngineContext,
  unit: UnitOfWork,
  waiting: readonly DepositRow[],
  at: Heads,
): void {
  for (const { fundingKey } of waiting) {
    const deposit = unit.get('deposits', fundingKey);
    if (deposit?.state !== 'mempool' || !mayEnd(context, deposit, at)) continue;
    if (isOutspent(deposit)) {
      const evidence = { kind: 'rivalConfirmed', fundingKey, rival: deposit.rivalBlockId ?? '' } as const;
      end(context, unit, deposit, 'rivalSpendConfirmed', 'DOUBLE_SPEND', evidence);
      continue;
    }
    const request = unit.get('requests', deposit.requestId);
    if (request && at.head.timestamp > request.deadlineAt) giveUp(context, unit, deposit, at.head.timestamp);
  }
}

/** Abandons the deposit without proof that it never lands. */
export function giveUp(context: EngineContext, unit: UnitOfWork, deposit: DepositRow, now: number): void {
  const { fundingKey } = deposit;
  const evidence = { kind: 'timeout', fundingKey, afterMs: Math.max(0, now - deposit.seenAt) } as const;
  end(context, unit, deposit, 'confirmationTimeout', 'DEPOSIT_CONFIRMATION_TIMEOUT', evidence);
}

function end(
  context: EngineContext,
  unit: UnitOfWork,
  { fundingKey, requestId }: DepositRow,
  trigger: Extract<Trigger, 'rivalSpendConfirmed' | 'confirmationTimeout'>,
  failReason: RequestRow['failReason'],
  evidence: FailureEvidence,
): void {
  unit.update('deposits', fundingKey, { state: 'vanished', ...NO_RIVAL });
  const request = unit.get('requests', requestId);
  if (request?.fundingKey !== fundingKey || request.status !== 'pending') return;
  moveRequest(context, unit, requestId, trigger, { failReason }, { evidence });
}

/**
 * Whether the request continues when its deposit returns. False where it was abandoned: its payer may have paid another
 * way.
 */
export function lostItsDeposit({ status, failReason }: RequestRow, deposit: DepositRow): boolean {
  if (status !== 'failure') return false;
  return failReason === 'DEPOSIT_REORGED' || (failReason === 'DOUBLE_SPEND' && deposit.decision === 'waiting');
}

/** It landed after it was abandoned. */
export function isLandedLate({ status, failReason }: Pick<RequestRow, 'status' | 'failReason'>): boolean {
  return status === 'failure' && failReason === 'DEPOSIT_CONFIRMATION_TIMEOUT';
}
