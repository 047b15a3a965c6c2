import type { DepositObservation } from '../../contract/deposits.js';
import type { DepositRow, LegRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { EngineContext } from '../base/context.js';
import { lastingReason, REINCLUDED } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { vanishDeposit } from '../books/deposit-life.js';
import { actualIn, newDeposit, orderOf } from '../books/reported-deposits.js';
import { isLandedLate, lostItsDeposit } from '../books/unconfirmed.js';
import { isAnother } from './changed-deposit.js';

/**
 * Applies the new amount of a deposit that a reorg reincluded, e.g. after a swap on the way in. The first amount and
 * its decision are void.
 *
 * Invariants (G2, G3): only where nothing was signed for the first amount and it is the same transfer. Payments
 * follow what arrived.
 *
 * @returns the vanished row; undefined: an operator must look.
 */
export function reincludeDeposit(
  context: EngineContext,
  unit: UnitOfWork,
  before: DepositRow,
  seen: DepositObservation,
): DepositRow | undefined {
  const { fundingKey } = before;
  // guard: reorged-amount-leaves-books
  if (before.state !== 'vanished') vanishDeposit(context, unit, fundingKey);
  const request = unit.get('requests', before.requestId);
  const legs = unit.all('legs').filter((leg) => leg.fundingKey === fundingKey);
  if (
    !request ||
    isAnother(before, seen) ||
    before.decision === 'hold' ||
    /* guard: paid-orders-keep-amount */ !legs.every(isUntouched)
  )
    return undefined;
  const owns = request.fundingKey === fundingKey;
  // Its payer was already informed of another failure.
  if (owns && !lostItsDeposit(request, before) && !isLandedLate(request)) return undefined;
  for (const leg of legs) {
    if (leg.state !== 'suspended') continue;
    const { delivers, paidWithFill } = factsOf(leg);
    unit.update('legs', leg.id, { state: 'void', ...(delivers || paidWithFill ? { reason: REINCLUDED } : {}) });
  }
  const belongs = { requestId: request.id, orderId: before.orderId ?? undefined, quote: orderOf(request) };
  const { amount, depositor, valueUsd, paidWith } = newDeposit(context, seen, belongs);
  const again = { amount, depositor, valueUsd, paidWith, decision: 'waiting', witnessed: null } as const;
  const row = unit.update('deposits', fundingKey, again);
  if (owns) unit.update('requests', request.id, { sender: depositor, actual: actualIn(request, row) });
  return row;
}

/** Never signed, never released, and not possibly paid by lost sends. */
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
