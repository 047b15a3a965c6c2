import { legId } from '../../domain/accounts.js';
import type { QuoteBody } from '../../domain/quote.js';
import { chainNow, type WorkContext } from '../base/context.js';
import { isReleased, lastingReason, MAYBE_PAID } from '../base/leg-marks.js';
import type { Due, Turn } from '../base/leg-rules.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { bearsAnotherTry } from '../books/another-try.js';
import { isIn, isInFill, isOver } from '../books/top-up-leg.js';
import { isWornOut } from '../keys/retry-leg.js';
import { giveUpTopUp } from '../payouts/give-up-top-up.js';
import { isShut } from '../payouts/judge-payback.js';
import { repriceTopUp } from '../payouts/reprice-top-up.js';
import { asOwed, later, POLL_MS, SLOW_POLL_MS, waitOf } from '../payouts/turn.js';
import { judgeTopUpLeg } from './judge-top-up-leg.js';

const POLL_INTERVAL_MS = 5_000;

/** Only after its fill is on the chain, so that nothing is given for a refunded order. */
export function judgeTopUp(
  context: WorkContext,
  unit: UnitOfWork,
  { leg, request, deposit, means, doubt }: Turn,
): Due | null {
  if (!request || !deposit) throw new Error(`the request of ${leg.id} was not loaded`);
  const waiting = waitOf(doubt);
  if (waiting !== null) return later(context, unit, leg, waiting);
  const fill = unit.get('legs', legId.fill(request.orderId));
  if (isInFill(request) && !isReleased(leg)) return judgeTopUpLeg(context, unit, leg, fill, means);
  if (doubt !== 'none' && leg.reason !== MAYBE_PAID) {
    unit.update('legs', leg.id, { reason: MAYBE_PAID });
    return null;
  }
  const isFilled = fill !== undefined && /* guard: topup-after-fill */ isIn(fill);
  if (!isFilled && fill !== undefined && !isOver(fill)) return later(context, unit, leg, POLL_INTERVAL_MS);
  if (isShut(context, leg)) return later(context, unit, leg, POLL_MS);
  const isLate = leg.deadlineAt !== null && chainNow(context, leg.chainId) > leg.deadlineAt;
  const paid = context.chains.get(deposit.chainId)?.currency(deposit.currency);
  if (
    !isReleased(leg) &&
    (!isFilled || isLate || isWornOut(leg) || /* guard: topup-bears-retries */ !bearsAnotherTry(context, leg, paid))
  ) {
    giveUpTopUp(
      context,
      unit,
      leg,
      isFilled ? (isLate ? 'PROTOCOL_DEADLINE_EXPIRED' : 'TRANSACTION_REVERTED') : 'unfilled',
    );
    return null;
  }
  const kept = repriceTopUp(context, unit, leg, JSON.parse(request.body) as QuoteBody);
  // Past its deadline it is refunded.
  if (kept === 'noPrice') return later(context, unit, leg, SLOW_POLL_MS);
  if (kept === 'less') return null;
  if (kept === 'tooLittle') {
    giveUpTopUp(context, unit, leg, 'SLIPPAGE');
    return null;
  }
  if (leg.state === 'owed') return asOwed(leg);
  if (!means.reserve(unit, leg)) return later(context, unit, leg, POLL_MS);
  unit.update('legs', leg.id, { state: 'owed', reason: lastingReason(leg), dueAt: context.clock.now() });
  return null;
}
