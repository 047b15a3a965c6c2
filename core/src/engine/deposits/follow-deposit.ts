import type { DepositObservation } from '../../contract/deposits.js';
import type { DepositRow } from '../../contract/store-rows.js';
import type { WorkContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import {
  endFinalGone,
  finaliseDeposit,
  moveDepositBlock,
  returnDeposit,
  vanishDeposit,
} from '../books/deposit-life.js';
import { bookCost, placeOf } from '../books/reported-deposits.js';
import { giveUp, isOutspent, outspend } from '../books/unconfirmed.js';
import { endChange, isAnother, reportOfChange } from './changed-deposit.js';
import { assertCost } from './poison-deposits.js';
import { reincludeDeposit } from './reincluded-deposit.js';

/** @param headTime of the batch, Unix milliseconds. */
export function followDeposit(
  context: WorkContext,
  unit: UnitOfWork,
  before: DepositRow,
  seen: DepositObservation,
  headTime: number,
): void {
  if (seen.state === 'vanished') {
    if (before.state === 'mempool' && seen.rival) outspend(context, unit, before, seen.rival);
    else if (before.state === 'mempool') giveUp(context, unit, before, headTime);
    else if (before.state !== 'vanished') vanishDeposit(context, unit, before.fundingKey);
    return;
  }
  const isChanged = isAnother(before, seen) || /* guard: changed-amount */ seen.amount !== before.amount;
  if (before.state === 'final') {
    if (seen.block !== null && !isChanged) endFinalGone(context, before.fundingKey);
    return;
  }
  assertCost(seen);
  // A reorg put it back into the mempool: treated as vanished until it is included again.
  if (before.state === 'included' && seen.state === 'mempool') {
    vanishDeposit(context, unit, before.fundingKey);
    return;
  }
  if (before.state === 'vanished' && seen.state === 'mempool') return;
  const deposit = isChanged ? reincludeDeposit(context, unit, before, seen) : before;
  if (deposit === undefined) return reportOfChange(context, unit, before, seen);
  if (before.state === 'vanished') endChange(context, unit, before);
  const final = seen.state === 'final';
  // Included, then final: each has consequences, and the service may have missed the inclusion.
  const place = { ...placeOf(seen), ...(final ? { state: 'included' as const } : {}) };
  if (deposit.state === 'vanished' || (deposit.state === 'mempool' && seen.state !== 'mempool')) {
    returnDeposit(context, unit, deposit, place, isChanged);
  } else if (deposit.blockId !== (seen.block?.id ?? null) || isOutspent(deposit)) {
    moveDepositBlock(context, unit, deposit, place);
  }
  if (!final) return;
  finaliseDeposit(context, unit, before.fundingKey);
  // guard: cost-of-deposits
  bookCost(context, unit, unit.get('deposits', before.fundingKey) ?? deposit, seen);
}
