import type { DepositObservation } from '../../contract/deposits.js';
import type { DepositRow } from '../../contract/store-rows.js';
import type { WorkContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { finaliseDeposit, moveDepositBlock, returnDeposit, vanishDeposit } from '../books/deposit-life.js';
import { placeOf } from '../books/reported-deposits.js';
import { giveUp, isOutspent, outspend } from '../books/unconfirmed.js';

/**
 * Takes over what a batch says of a deposit that has a row: it moved to another block, vanished, came back or became final.
 *
 * @param headTime of the batch, Unix milliseconds.
 */
export function followDeposit(
  context: WorkContext,
  unit: UnitOfWork,
  before: DepositRow,
  seen: DepositObservation,
  headTime: number,
): void {
  if (seen.state === 'vanished') {
    if (before.state === 'mempool' && seen.rival) outspend(unit, before, seen.rival);
    else if (before.state === 'mempool') giveUp(context, unit, before, headTime);
    else if (before.state !== 'vanished') vanishDeposit(context, unit, before.fundingKey);
    return;
  }
  if (before.state === 'final') return;
  if (seen.amount !== before.amount) return refuseChanged(context, unit, before, seen);
  // Back in the mempool, as after a reorg on a chain whose mempool is watched: treated as vanished, and it may come back.
  if (before.state === 'included' && seen.state === 'mempool') {
    vanishDeposit(context, unit, before.fundingKey);
    return;
  }
  if (before.state === 'vanished' && seen.state === 'mempool') return;
  const final = seen.state === 'final';
  // Included first, then final, so that finality has its consequences: the service may have been down when it was included.
  const place = { ...placeOf(seen), ...(final ? { state: 'included' as const } : {}) };
  if (before.state === 'vanished' || (before.state === 'mempool' && seen.state !== 'mempool')) {
    returnDeposit(context, unit, before, place);
  } else if (before.blockId !== (seen.block?.id ?? null) || isOutspent(before)) {
    moveDepositBlock(unit, before, place);
  }
  if (final) finaliseDeposit(context, unit, before.fundingKey);
}

/**
 * A swap on the way in is made anew in another block, and may bring another amount there. What was decided, booked and perhaps paid is of
 * the amount that was seen first, so it stays vanished, and what arrived is for an operator to see.
 *
 * Invariant (G2): no more is paid for a transfer, or paid back of it, than arrived.
 */
function refuseChanged(
  context: WorkContext,
  unit: UnitOfWork,
  before: DepositRow,
  { amount }: DepositObservation,
): void {
  const { fundingKey } = before;
  if (before.state !== 'vanished') vanishDeposit(context, unit, fundingKey);
  const facts = { fundingKey, before: before.amount.toString(), now: amount.toString() };
  context.alerts.raise(`deposit-changed:${fundingKey}`, 'A deposit came back from a reorg with another amount', facts);
}
