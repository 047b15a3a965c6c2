import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { account } from '../../domain/accounts.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import { chainNow, decideAndCommit, type EngineContext, type WorkContext } from '../base/context.js';
import { loadViews } from '../base/load.js';
import { isPaused } from '../base/pauses.js';
import { pauseOf } from '../base/poison.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { Budget } from '../books/budget.js';
import { refundAmount } from '../books/refund-amount.js';
import { type Doubt, type Doubts, loadDoubts } from '../recovery/foreign-fills.js';
import { holdLeg, lapsed, voidFill } from './give-up.js';
import { keepPrice } from './keep-price.js';
import { payerOf, wantingProof } from './proof-of-payer.js';

const POLL_MS = 500;
const SLOW_POLL_MS = 2_000;

/** A leg that may be executed now, with the amount that goes out. */
export interface Ready {
  readonly leg: LegRow;
  readonly request: RequestRow | undefined;
  readonly amount: bigint;
  /** Most work that was charged for; null: no bound. */
  readonly work: bigint | null;
  /** Nothing names whom it is owed to but the chain, which has to prove that. */
  readonly unproven: boolean;
  /**
   * `ask`: a fill whose deposit may have been paid back by a send that this ledger lost, so the origin is asked first,
   * or a refund whose order may have been filled by one, so the destination is.
   * `idle`: a fill that is not made; only whether it was made already is looked for.
   * `hold`: a refund that must not go out by itself; only its own payment, should it have been made, is looked for.
   */
  readonly doubt: 'ask' | 'idle' | 'hold' | null;
  /** Its deposit may have been paid back by a send that this ledger lost, by another leg than this. */
  readonly maybePaid: boolean;
  /** A send that this ledger lost may have done this very leg, so its chain's history is asked first. */
  readonly maybeDone: boolean;
  /** A fill that landed once without effect, or was broadcast and ran out. */
  readonly failed: boolean;
  /** Why an idle fill is too late: it is given up once its chain says that it was not made. */
  readonly late: FailReason | null;
}

/**
 * Judges due legs without asking the chain: too late, short of inventory, paused, nothing left to refund. What must
 * change is committed; legs that are ready are returned as they are in the store. Null while the lane is halted.
 */
export async function triage(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  due: readonly LegRow[],
  fresh = true,
): Promise<readonly Ready[] | null> {
  // The legs were read a moment ago; whoever changed one since makes the commit that relies on it fail.
  let known: readonly LegRow[] | undefined = fresh ? due : undefined;
  return decideAndCommit(context, 'engine.triage', async () => {
    const unit = new UnitOfWork();
    const read = known ?? (await context.store.legs(due.map((leg) => leg.id)));
    known = undefined;
    const legs = read.filter((leg) => leg.state === 'owed' || leg.state === 'short');
    for (const leg of legs) unit.load('legs', leg);
    const requestIds = legs.flatMap((leg) => (leg.requestId === null ? [] : [leg.requestId]));
    const short = legs.some((leg) => leg.state === 'short');
    const [lane, budget, toCollect, doubts] = await Promise.all([
      context.store.lane(chain.facts.id, signer),
      short ? Budget.load(context) : undefined,
      short ? context.store.pots(`depository:${chain.facts.id}:`) : [],
      loadDoubts(context, legs),
      loadViews(context, unit, requestIds),
    ]);
    if (!lane || lane.halted !== null) return { work: new UnitOfWork(), result: null };
    const ready: Ready[] = [];
    const means: Means = { budget, doubts, toCollect: new Map(toCollect.map((pot) => [pot.account, pot.amount])) };
    for (const leg of legs) {
      const judged = judge(context, unit, means, chain, leg);
      // A leg that this unit of work changes is executed on the next round, from its committed version.
      if (judged === null || unit.get('legs', leg.id) !== leg) continue;
      const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
      const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
      const doubt = request ? doubts.about(leg, request, deposit) : 'none';
      ready.push({
        leg,
        request,
        ...judged,
        unproven: payerOf(context, chain, leg, request, deposit) === 'unproven',
        doubt: doubt === 'ask' || doubt === 'idle' || doubt === 'hold' ? doubt : null,
        maybePaid: doubts.maybePaid(leg, deposit),
        maybeDone: doubts.maybeDone(leg, deposit),
        failed: lapsed(unit, leg) !== undefined,
        late: doubt === 'idle' && request ? tooLate(context, chain, leg, request) : null,
      });
    }
    return { work: unit, result: ready };
  });
}

/** What may go out now, as it was charged for. */
type Due = Pick<Ready, 'amount' | 'work'>;

/** What fills are paid from, as one change set sees it. */
interface Means {
  readonly budget: Budget | undefined;
  readonly doubts: Doubts;
  /** What the depository of the chain holds, by account. */
  readonly toCollect: ReadonlyMap<string, bigint>;
}

/** Null when it is not this leg's turn (the unit of work then says why). */
function judge(context: WorkContext, unit: UnitOfWork, means: Means, chain: ChainAdapter, leg: LegRow): Due | null {
  const { doubts } = means;
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  if (leg.kind === 'fill') {
    if (!request || !deposit) throw new Error(`the request of ${leg.id} was not loaded`);
    const doubt = doubts.about(leg, request, deposit);
    const waiting = waitOf(doubt);
    if (waiting !== null) return later(context, unit, leg, waiting);
    // It needs no means. Where it was made, that may become final only when it would be late to make it.
    if (doubt === 'idle') return asOwed(leg);
    return judgeFill(context, unit, means, chain, leg, request, deposit);
  }
  const origin = leg.chainId;
  if (isPaused(context, origin, origin) === 'all' || context.pauses.has(`chain:${origin}`))
    return later(context, unit, leg, POLL_MS);
  if (leg.kind === 'collect') return asOwed(leg);
  const doubt = request ? doubts.about(leg, request, deposit) : 'none';
  const waiting = waitOf(doubt);
  if (waiting !== null) return later(context, unit, leg, waiting);
  // The chain is asked first: it may have been paid already.
  if (doubt === 'hold') return { amount: leg.covers, work: null };
  if (payerOf(context, chain, leg, request, deposit) === 'custodian') {
    holdLeg(context, unit, leg, 'REFUND_RECIPIENT_IS_VASP', wantingProof(leg, 'custodian'));
    return null;
  }
  const net = refundAmount(context, unit, leg);
  if (net.ok) return net;
  if (net.why === 'notYet') return later(context, unit, leg, SLOW_POLL_MS);
  holdLeg(context, unit, leg, net.why === 'nothingLeft' ? 'AMOUNT_TOO_LOW_TO_REFUND' : 'MANUAL_REFUND_REQUIRED');
  return null;
}

function asOwed({ amount, work }: LegRow): Due {
  return { amount, work };
}

/** A start compares all lanes within a moment; a halt lasts. */
function waitOf(doubt: Doubt): number | null {
  if (doubt === 'soon') return POLL_MS;
  return doubt === 'wait' ? SLOW_POLL_MS : null;
}

function judgeFill(
  context: WorkContext,
  unit: UnitOfWork,
  means: Means,
  chain: ChainAdapter,
  leg: LegRow,
  request: RequestRow,
  deposit: DepositRow,
): Due | null {
  const late = tooLate(context, chain, leg, request);
  if (late) {
    voidFill(context, unit, leg, late);
    return null;
  }
  if (isPaused(context, request.originChainId, leg.chainId)) return later(context, unit, leg, POLL_MS);
  const kept = keepPrice(context, unit, leg, JSON.parse(request.body) as QuoteBody, deposit);
  if (kept === 'noPrice') return later(context, unit, leg, SLOW_POLL_MS);
  if (kept === 'slippage') {
    voidFill(context, unit, leg, 'SLIPPAGE');
    return null;
  }
  if (leg.state === 'owed') return asOwed(leg);
  const priced = unit.get('legs', leg.id) ?? leg;
  const claim = means.budget?.claim(unit, priced, deposit);
  if (!claim?.ok) {
    if (
      claim &&
      isHopeless(context, unit, means, priced, claim.reason) &&
      means.doubts.about(leg, request, deposit) === 'none'
    ) {
      voidFill(context, unit, leg, claim.reason);
      return null;
    }
    unit.update('legs', leg.id, { dueAt: context.clock.now() + POLL_MS, ...(claim ? { reason: claim.reason } : {}) });
    return null;
  }
  // What counts as exposure follows from the deposit's state, which must not change unseen meanwhile.
  unit.touch('deposits', deposit.fundingKey);
  const now = context.clock.now();
  unit.update('legs', leg.id, { state: 'owed', reason: null, dueAt: now, claimedAt: now });
  return null;
}

/**
 * Whether a fill waited long enough for inventory that cannot come: all that its lane holds, promised to others or not, and all
 * that there is to collect, is less than it takes. One whose bytes were out before is left to its deadline.
 */
function isHopeless(
  { clock, policy }: EngineContext,
  unit: UnitOfWork,
  { budget, toCollect }: Means,
  leg: LegRow,
  reason: FailReason,
): boolean {
  if (reason !== 'SOLVER_BALANCE_TOO_LOW' || budget === undefined || lapsed(unit, leg) !== undefined) return false;
  if (clock.now() - leg.createdAt < policy.giveUpShortMs) return false;
  const coming = toCollect.get(account.depository(leg.chainId, leg.currency)) ?? 0n;
  return budget.meansOf(leg) + coming < leg.amount;
}

/** No fill is signed nearer to its deadline than the destination's finality plus a margin; a client's ttl ends earlier. */
export function tooLate(
  context: EngineContext,
  chain: ChainAdapter,
  leg: LegRow,
  request: RequestRow,
): FailReason | null {
  const now = chainNow(context, leg.chainId);
  const { ttlAt } = JSON.parse(request.body) as QuoteBody;
  if (ttlAt !== null && now > ttlAt) return 'TTL_EXPIRED';
  if (now + chain.facts.finalityMs + context.policy.deadlineMarginMs <= leg.deadlineAt) return null;
  return leg.state === 'short' && leg.reason !== null ? (leg.reason as FailReason) : 'PROTOCOL_DEADLINE_EXPIRED';
}

function later(context: WorkContext, unit: UnitOfWork, leg: LegRow, ms: number): null {
  unit.update('legs', leg.id, { dueAt: context.clock.now() + pauseOf(context, leg, ms) });
  return null;
}
