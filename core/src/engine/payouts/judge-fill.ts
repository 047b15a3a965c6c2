import { isUncovered } from '../../capabilities/fast-fill/fast-fill.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegRow, RequestRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import { chainNow, type EngineContext, type WorkContext } from '../base/context.js';
import { lastingReason } from '../base/leg-marks.js';
import type { Due, Means, Turn } from '../base/leg-rules.js';
import { isPaused } from '../base/pauses.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { topUpLegOf, topUpOf, wholeCovers } from '../books/top-up-leg.js';
import { lapsed, voidFill } from './give-up.js';
import { keepPrice } from './keep-price.js';
import { repriceTopUp } from './reprice-top-up.js';
import { sponsorAgain } from './sponsor-again.js';
import { asOwed, later, POLL_MS, SLOW_POLL_MS, waitOf } from './turn.js';

/** Null when it is not the fill's turn. */
export function judgeFill(
  context: WorkContext,
  unit: UnitOfWork,
  { chain, leg, request, deposit, means, doubt }: Turn,
): Due | null {
  if (!request || !deposit) throw new Error(`the request of ${leg.id} was not loaded`);
  const waiting = waitOf(doubt);
  if (waiting !== null) return later(context, unit, leg, waiting);
  // An idle fill claims no inventory, and another process's fill may become final only after the deadline.
  if (doubt === 'idle') return asOwed(leg);
  const late = tooLate(context, chain, leg, request);
  if (late) {
    voidFill(context, unit, leg, late);
    return null;
  }
  if (isPaused(context, request.originChainId, leg.chainId)) return later(context, unit, leg, POLL_MS);
  // guard: uncovered-fast-fills-wait
  if (isUncovered(request, deposit)) return later(context, unit, leg, POLL_MS);
  const sponsored = sponsorAgain(context, unit, leg, request, deposit, means);
  if (sponsored === 'refused') voidFill(context, unit, leg, 'SPONSOR_BALANCE_TOO_LOW');
  if (sponsored !== 'paid') return null;
  const kept = keepPrice(context, unit, leg, JSON.parse(request.body) as QuoteBody, deposit);
  if (kept === 'noPrice') return later(context, unit, leg, SLOW_POLL_MS);
  if (kept === 'slippage') {
    voidFill(context, unit, leg, 'SLIPPAGE');
    return null;
  }
  const topUp = topUpLegOf(unit, leg, request);
  const repriced =
    topUp && isUnsigned(topUp) ? repriceTopUp(context, unit, topUp, JSON.parse(request.body) as QuoteBody) : 'kept';
  if (repriced === 'noPrice') return later(context, unit, leg, SLOW_POLL_MS);
  // guard: top-up-holds-fill
  if (repriced === 'tooLittle') {
    // Uses the row as changed above, so that the fill's current claims are released.
    voidFill(context, unit, unit.get('legs', leg.id) ?? leg, 'SLIPPAGE');
    return null;
  }
  if (leg.state === 'owed') return topUp?.state === 'short' ? later(context, unit, leg, POLL_MS) : asOwed(leg);
  const priced = unit.get('legs', leg.id) ?? leg;
  const other = topUpOf(unit, leg);
  const extra = other?.state === 'short' ? other : undefined;
  const claim = means.claim(unit, { ...priced, covers: wholeCovers(unit, priced) }, deposit, extra);
  if (!claim?.ok) {
    const hopeless = [priced, ...(extra ? [extra] : [])].some((one) => isBeyond(means, one));
    if (claim && hopeless && doubt === 'none' && isWaitedFor(context, unit, priced, claim.reason)) {
      voidFill(context, unit, leg, claim.reason);
      return null;
    }
    unit.update('legs', leg.id, { dueAt: context.clock.now() + POLL_MS, ...(claim ? { reason: claim.reason } : {}) });
    return null;
  }
  // Exposure depends on the deposit's state, which must not change unseen.
  unit.touch('deposits', deposit.fundingKey);
  const now = context.clock.now();
  unit.update('legs', leg.id, { state: 'owed', reason: null, dueAt: now, claimedAt: now });
  if (extra) unit.update('legs', extra.id, { state: 'owed', reason: lastingReason(extra) });
  return null;
}

function isUnsigned({ state }: LegRow): boolean {
  return state === 'owed' || state === 'short';
}

/** Whether the lane's whole holdings, reserved or not, and everything collectable are too little. */
function isBeyond(means: Means, leg: LegRow): boolean {
  return means.reach(leg) < leg.amount;
}

/** A fill that was signed before waits until its deadline. */
function isWaitedFor({ clock, policy }: EngineContext, unit: UnitOfWork, leg: LegRow, reason: FailReason): boolean {
  if (reason !== 'SOLVER_BALANCE_TOO_LOW' || lapsed(unit, leg) !== undefined) return false;
  return clock.now() - leg.createdAt >= policy.giveUpShortMs;
}

/** The destination's finality plus a margin before the deadline; a client's ttl ends earlier. */
export function tooLate(
  context: EngineContext,
  chain: ChainAdapter,
  leg: LegRow,
  request: RequestRow,
): FailReason | null {
  const now = chainNow(context, leg.chainId);
  const { ttlAt } = JSON.parse(request.body) as QuoteBody;
  if (ttlAt !== null && now > ttlAt) return 'TTL_EXPIRED';
  const soonest = now + chain.facts.finalityMs + context.policy.deadlineMarginMs;
  if (leg.deadlineAt === null || soonest <= leg.deadlineAt) return null;
  return leg.state === 'short' && leg.reason !== null ? (leg.reason as FailReason) : 'PROTOCOL_DEADLINE_EXPIRED';
}
