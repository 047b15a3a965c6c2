import type { DepositRow, LegRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { EngineContext } from '../base/context.js';
import { isReleased, MAYBE_PAID } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { releaseInventory } from '../books/budget.js';
import { releaseValue } from '../books/deposit-life.js';
import { completeFill } from '../books/settled-leg.js';
import { owesPart } from '../deposits/settle-deposit.js';
import { holdLeg } from './give-up.js';

/**
 * Refunds an undeliverable top-up's part of the deposit, less the cost of trying; held where the deposit's excess leg
 * is already used.
 *
 * Invariant (G3): the leg is `owed` or `short`, all its keys ended without it, and no part of the ledger was lost.
 */
function giveBackTopUp(context: EngineContext, unit: UnitOfWork, leg: LegRow, reason: string): void {
  if (leg.state !== 'owed' && leg.state !== 'short')
    throw new Error(`${leg.id} is ${leg.state}, it cannot be abandoned`);
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  if (!request || !deposit) throw new Error(`the request of ${leg.id} was not loaded`);
  const { refundRecipient } = JSON.parse(request.body) as QuoteBody;
  if (!owesPart(context, unit, deposit, refundRecipient, leg.covers, reason)) {
    holdTopUp(context, unit, leg, reason);
    return;
  }
  if (leg.state === 'owed') releaseInventory(unit, leg);
  endTopUp(unit, leg, reason);
  completeFill(context, unit, leg);
  releaseValue(context, unit, deposit.fundingKey);
  context.log.info({ leg: leg.id, reason }, 'a gas top-up was abandoned: its part of the deposit is refunded');
}

function endTopUp(unit: UnitOfWork, leg: LegRow, reason: string): void {
  const wasTried = leg.spent > 0n || leg.reverts > 0 || leg.closings > 0;
  unit.update('legs', leg.id, { state: wasTried ? 'closed' : 'void', reason });
}

/** Held where it may have been paid, or an operator released it to a named recipient; else its part is refunded. */
export function giveUpTopUp(context: EngineContext, unit: UnitOfWork, leg: LegRow, reason: string): void {
  // guard: topup-doubt-held
  if (leg.reason === MAYBE_PAID) holdTopUp(context, unit, leg, MAYBE_PAID);
  else if (isReleased(leg)) holdTopUp(context, unit, leg, reason);
  else giveBackTopUp(context, unit, leg, reason);
}

/**
 * Owes a top-up's part of the deposit to the operator's recipient, past the top-up's deadline. Undefined, without
 * changes, where the deposit's excess leg is already used.
 *
 * Invariant (G3): the top-up is held before, and no longer after.
 */
export function owesTopUpBack(
  context: EngineContext,
  unit: UnitOfWork,
  leg: LegRow,
  deposit: DepositRow,
  recipient: string,
): LegRow | undefined {
  if (leg.state !== 'held') throw new Error(`${leg.id} is ${leg.state}, an operator cannot refund it`);
  const reason = 'MANUAL_ADMIN_REFUND';
  if (!owesPart(context, unit, deposit, recipient, leg.covers, reason)) return undefined;
  endTopUp(unit, leg, reason);
  return unit.get('legs', legId.excess(deposit.fundingKey));
}

/** Nothing more is paid automatically. */
export function holdTopUp(context: EngineContext, unit: UnitOfWork, leg: LegRow, why: string): void {
  if (leg.includedAt === null && leg.state !== 'short') releaseInventory(unit, leg);
  holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED', why);
  completeFill(context, unit, leg);
  context.alerts.raise(`topup:${leg.id}`, 'A gas top-up is held: it is neither delivered nor refunded automatically', {
    leg: leg.id,
    requestId: leg.requestId,
    reason: why,
  });
}
