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
 * What becomes of a deposit that only a pool shows.
 *
 * Invariants: nothing is booked, reserved or sent for it. Its request fails once a rival spend of it is final (G7), or when it
 * has waited for so long that its order cannot be filled any more. Should it land all the same, it is met as any other: a
 * failure that rests on a proof is taken back, and what was given up without one is paid back.
 */
export function isOutspent({ state, rivalHeight }: Pick<DepositRow, 'state' | 'rivalHeight'>): boolean {
  return state === 'mempool' && rivalHeight !== null;
}

/**
 * A rival of it is in a block. Its request waits until that is final: another deposit may take its place, a reorg give it back.
 */
export function outspend(unit: UnitOfWork, { fundingKey }: DepositRow, { block }: Rival): void {
  const row = unit.update('deposits', fundingKey, { rivalHeight: block.height, rivalBlockId: block.id });
  noteDeposit(unit, row, 'failure');
}

/** A reorg took the block of its rival. */
export function waitAgain(unit: UnitOfWork, { fundingKey }: DepositRow): void {
  noteDeposit(unit, unit.update('deposits', fundingKey, NO_RIVAL), 'success');
}

/** Whether a waiting deposit may have to end: its rival is final, or it waited for too long. */
export function mayEnd(context: EngineContext, deposit: DepositRow, { head, finalized }: Heads): boolean {
  if (isOutspent(deposit)) return (deposit.rivalHeight ?? 0) <= finalized.height;
  return head.timestamp - deposit.seenAt > context.policy.confirmationTimeoutMs;
}

/**
 * Ends deposits whose rival is final, and deposits that waited for too long. Time is the chain's: while the chain stands still,
 * nothing can land.
 */
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
    // Until then it would be filled, if it landed.
    if (request && at.head.timestamp > request.deadlineAt) giveUp(context, unit, deposit, at.head.timestamp);
  }
}

/** Nobody waits for it any more, and nothing proves that it will never land. */
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
 * Whether a request failed because its deposit was proven to be gone, so that it goes on when the deposit comes back. False for
 * a request that was given up: its payer was told so, and may have paid in another way since.
 */
export function lostItsDeposit({ status, failReason }: RequestRow, deposit: DepositRow): boolean {
  if (status !== 'failure') return false;
  return failReason === 'DEPOSIT_REORGED' || (failReason === 'DOUBLE_SPEND' && deposit.decision === 'waiting');
}

/** It was given up, and landed. */
export function isLandedLate({ status, failReason }: Pick<RequestRow, 'status' | 'failReason'>): boolean {
  return status === 'failure' && failReason === 'DEPOSIT_CONFIRMATION_TIMEOUT';
}
