import type { DepositObservation } from '../../contract/deposits.js';
import type { DepositRow, LegRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { EngineContext } from '../base/context.js';
import { lastingReason, REMADE } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { vanishDeposit } from '../books/deposit-life.js';
import { actualIn, newDeposit, orderOf } from '../books/reported-deposits.js';
import { isLandedLate, lostItsDeposit } from '../books/unconfirmed.js';
import { isAnother } from './changed-deposit.js';

/**
 * Takes over what a transfer brought that a reorg made anew with another amount, as a swap on the way in does: the first amount
 * leaves the books, what was decided about it is void, and it waits to be decided on as if it were seen for the first time.
 *
 * Invariants (G2, G3): only where nothing was ever signed on the strength of the first amount. What is paid for it, or paid back,
 * follows from what arrived. Otherwise, and where it is another transfer altogether, it stays vanished.
 *
 * @returns the row, vanished; undefined: what arrived is for an operator to see.
 */
export function remakeDeposit(
  context: EngineContext,
  unit: UnitOfWork,
  before: DepositRow,
  seen: DepositObservation,
): DepositRow | undefined {
  const { fundingKey } = before;
  if (before.state !== 'vanished') vanishDeposit(context, unit, fundingKey);
  const request = unit.get('requests', before.requestId);
  const legs = unit.all('legs').filter((leg) => leg.fundingKey === fundingKey);
  if (!request || isAnother(before, seen) || before.decision === 'hold' || !legs.every(isUntouched)) return undefined;
  const owns = request.fundingKey === fundingKey;
  // A request that failed for another reason than its deposit's absence was told to its payer as over.
  if (owns && !lostItsDeposit(request, before) && !isLandedLate(request)) return undefined;
  for (const leg of legs) {
    if (leg.state !== 'suspended') continue;
    const { delivers, besideFill } = factsOf(leg);
    unit.update('legs', leg.id, { state: 'void', ...(delivers || besideFill ? { reason: REMADE } : {}) });
  }
  const belongs = { requestId: request.id, orderId: before.orderId ?? undefined, quote: orderOf(request) };
  const { amount, depositor, valueUsd, paidWith } = newDeposit(context, seen, belongs);
  const anew = { amount, depositor, valueUsd, paidWith, decision: 'waiting', witnessed: null } as const;
  const row = unit.update('deposits', fundingKey, anew);
  if (owns) unit.update('requests', request.id, { sender: depositor, actual: actualIn(request, row) });
  return row;
}

/** Nothing of it was ever signed, nothing may be paid already in a part of the ledger that was lost, and nobody's word is on it. */
function isUntouched(leg: LegRow): boolean {
  const { state, key, spent, reverts, closings, releasedBy } = leg;
  if (state !== 'suspended' && state !== 'void') return false;
  return (
    key === null &&
    spent === 0n &&
    reverts === 0 &&
    closings === 0 &&
    releasedBy === null &&
    lastingReason(leg) === null
  );
}
