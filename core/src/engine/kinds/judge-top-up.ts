import type { LegRow } from '../../contract/store-rows.js';
import { counter, legId } from '../../domain/accounts.js';
import type { QuoteBody } from '../../domain/quote.js';
import { topUpNow } from '../../domain/top-up.js';
import { chainNow, type EngineContext, type WorkContext } from '../base/context.js';
import { isReleased, lastingReason, MAYBE_PAID } from '../base/leg-marks.js';
import type { Due, Turn } from '../base/leg-rules.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { bearsAnotherTry } from '../books/another-try.js';
import { isIn, isOver } from '../books/beside.js';
import { coinNow } from '../books/prices-now.js';
import { isWornOut } from '../keys/retry-leg.js';
import { giveBackTopUp, holdTopUp } from '../payouts/give-up-top-up.js';
import { isShut } from '../payouts/judge-payback.js';
import { asOwed, later, POLL_MS, SLOW_POLL_MS, waitOf } from '../payouts/turn.js';

/** While its fill is on its way, whose inclusion wakes it. */
const LOOKS_MS = 5_000;

/**
 * Native coin beside a fill: its turn comes once that fill is on the chain, so that nothing was given for an order whose deposit
 * goes back. Null when it is not its turn.
 */
export function judgeTopUp(
  context: WorkContext,
  unit: UnitOfWork,
  { leg, request, deposit, means, doubt }: Turn,
): Due | null {
  if (!request || !deposit) throw new Error(`the request of ${leg.id} was not loaded`);
  const waiting = waitOf(doubt);
  if (waiting !== null) return later(context, unit, leg, waiting);
  if (doubt !== 'none' && leg.reason !== MAYBE_PAID) {
    unit.update('legs', leg.id, { reason: MAYBE_PAID });
    return null;
  }
  const fill = unit.get('legs', legId.fill(request.orderId));
  const isFilled = fill !== undefined && isIn(fill);
  if (!isFilled && fill !== undefined && !isOver(fill)) return later(context, unit, leg, LOOKS_MS);
  if (isShut(context, leg)) return later(context, unit, leg, POLL_MS);
  const isLate = leg.deadlineAt !== null && chainNow(context, leg.chainId) > leg.deadlineAt;
  const paid = context.chains.get(deposit.chainId)?.currency(deposit.currency);
  if (!isReleased(leg) && (!isFilled || isLate || isWornOut(leg) || !bearsAnotherTry(context, leg, paid))) {
    giveUp(context, unit, leg, isFilled ? (isLate ? 'PROTOCOL_DEADLINE_EXPIRED' : 'TRANSACTION_REVERTED') : 'unfilled');
    return null;
  }
  const kept = keepAmount(context, unit, leg, JSON.parse(request.body) as QuoteBody);
  // Past its deadline, it goes back.
  if (kept === 'noPrice') return later(context, unit, leg, SLOW_POLL_MS);
  if (kept === 'less') return null;
  if (kept === 'tooLittle') {
    giveUp(context, unit, leg, 'SLIPPAGE');
    return null;
  }
  if (leg.state === 'owed') return asOwed(leg);
  if (!means.reserve(unit, leg)) return later(context, unit, leg, POLL_MS);
  unit.update('legs', leg.id, { state: 'owed', reason: lastingReason(leg), dueAt: context.clock.now() });
  return null;
}

/** Held where it may be paid already, else its part of the deposit goes back. */
export function giveUp(context: EngineContext, unit: UnitOfWork, leg: LegRow, reason: string): void {
  if (leg.reason === MAYBE_PAID) holdTopUp(context, unit, leg, MAYBE_PAID);
  else giveBackTopUp(context, unit, leg, reason);
}

/** Invariant (G12): what is reserved for it follows its amount in the same change set. */
function keepAmount(
  context: EngineContext,
  unit: UnitOfWork,
  leg: LegRow,
  quote: QuoteBody,
): 'kept' | 'less' | 'tooLittle' | 'noPrice' {
  if (quote.topUp === undefined) throw new Error(`${leg.id} was promised by nobody`);
  if (isReleased(leg)) return 'kept';
  const now = coinNow(context, quote);
  if (now === null) return 'noPrice';
  const worth = topUpNow(quote, quote.topUp, leg.covers, now);
  if (!worth.ok) return 'tooLittle';
  if (worth.amount >= leg.amount) return 'kept';
  if (leg.state === 'owed') {
    const reserved = counter.reserved(leg.chainId, leg.signer, leg.currency);
    unit.count({ account: reserved, by: worth.amount - leg.amount, atLeast: 0n });
  }
  unit.update('legs', leg.id, { amount: worth.amount });
  return 'less';
}
