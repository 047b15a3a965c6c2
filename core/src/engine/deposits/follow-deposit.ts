import type { DepositObservation } from '../../contract/deposits.js';
import type { DepositRow } from '../../contract/store-rows.js';
import type { WorkContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { finaliseDeposit, moveDepositBlock, returnDeposit, vanishDeposit } from '../books/deposit-life.js';
import { placeOf } from '../books/reported-deposits.js';
import { giveUp, outspend } from '../books/unconfirmed.js';

/**
 * Takes over what a batch tells of a transfer that is known: it moved, left the chain, came back or became final.
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
  // Back in the mempool, as after a reorg on a chain that shows its own: it may come back, as one that vanished may.
  if (before.state === 'included' && seen.state === 'mempool') {
    vanishDeposit(context, unit, before.fundingKey);
    return;
  }
  if (before.state === 'vanished' && seen.state === 'mempool') return;
  const final = seen.state === 'final';
  // Included first, so that becoming final has its consequences: a reorg may move a transfer while nobody watches.
  const place = { ...placeOf(seen), ...(final ? { state: 'included' as const } : {}) };
  if (before.state === 'vanished' || (before.state === 'mempool' && seen.state !== 'mempool')) {
    returnDeposit(context, unit, before, place);
  } else if (before.blockId !== (seen.block?.id ?? null)) {
    moveDepositBlock(unit, before, place);
  }
  if (final) finaliseDeposit(context, unit, before.fundingKey);
}
