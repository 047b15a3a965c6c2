import { oweSweep } from '../../capabilities/deposit-addresses/owe-sweep.js';
import { dropSponsor, reserveFor, unsponsored } from '../../capabilities/sponsorship/sponsor-fill.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import { type Decision, decide } from '../../domain/decide.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import { chainNow, chainOf, type EngineContext } from '../base/context.js';
import { laneFor } from '../base/lanes.js';
import { FRESH, isIdle } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { type Budget, expose, moveVolume } from '../books/budget.js';
import { giveOwnRequest } from '../books/child-requests.js';
import { isOut, releaseValue } from '../books/deposit-life.js';
import { endEarmark } from '../books/earmarks.js';
import { lateTerms, pairNow } from '../books/prices-now.js';
import { moveRequest } from '../books/requests.js';
import { topUpOf } from '../books/top-up-leg.js';
import { isLandedLate } from '../books/unconfirmed.js';
import { coversTopUp, moveTopUp, newTopUp, owesTopUp } from './owe-top-up.js';
import { refundWords } from './refund-words.js';

/**
 * The one settlement decision of a deposit.
 *
 * Invariants (G2, G3): only `waiting` can change; the legs' `covers` sum to the deposit; refund and excess legs stay
 * `blocked` until it is final.
 */
export function settleDeposit(
  context: EngineContext,
  work: UnitOfWork,
  budget: Budget,
  deposit: DepositRow,
  quote: QuoteBody | null,
  taken: boolean,
): void {
  if (deposit.decision !== 'waiting') throw new Error(`deposit ${deposit.fundingKey} is decided already`);
  const request = work.get('requests', deposit.requestId);
  const judged = judge(context, deposit, quote, taken, request !== undefined && isLandedLate(request));
  if (judged.kind === 'wait') {
    // Throws for a chain that left the config, which alerts an operator.
    if (quote) for (const { chainId } of [quote.origin, quote.destination]) chainOf(context, chainId);
    return;
  }
  const fill = quote && !taken ? work.get('legs', legId.fill(quote.orderId)) : undefined;
  if (fill && isOut(fill) && fill.fundingKey !== deposit.fundingKey && !pays(fill, topUpOf(work, fill), judged)) {
    const child = stepBack(context, work, deposit, fill);
    settleDeposit(context, work, budget, child, quote, true);
    return;
  }
  const decision = quote === null ? judged : withSponsor(context, work, budget, deposit, quote, judged);
  if (decision.kind === 'wait') return;
  if (decision.kind === 'fill' && quote) {
    oweSweep(context, work, deposit);
    owesFill(context, work, budget, deposit, quote, decision);
  }
  if (decision.kind === 'refund') {
    refundDeposit(context, work, deposit, decision.to === 'depositor' ? null : quote, decision.reason);
    const details = taken && quote ? refundWords(context, deposit, quote, decision.reason) : undefined;
    if (details !== undefined) work.update('requests', deposit.requestId, { details });
  }
  releaseValue(context, work, deposit.fundingKey);
}

/**
 * Reserves what an app balance pays of the fees. Where it cannot, the user pays them, or nothing is filled.
 *
 * Invariant (G10): in the change set that decides the fill, or not at all.
 */
function withSponsor(
  context: EngineContext,
  work: UnitOfWork,
  budget: Budget,
  deposit: DepositRow,
  quote: QuoteBody,
  asked: Decision,
): Decision {
  const request = work.get('requests', deposit.requestId);
  if (!('sponsored' in asked) || asked.sponsored === undefined || request === undefined) return asked;
  if (reserveFor(work, budget, request, asked.sponsored, context.clock.now())) return asked;
  const alone = unsponsored(quote);
  const refund = { kind: 'refund', reason: 'SPONSOR_BALANCE_TOO_LOW', to: 'orderRecipient' } as const;
  const decision = alone === null ? refund : judge(context, deposit, alone, false);
  if (decision.kind === 'fill') dropSponsor(work, request);
  return decision.kind === 'refund' ? refund : decision;
}

/** To the order's refund recipient, or without an order to the depositor. */
export function refundDeposit(
  context: EngineContext,
  work: UnitOfWork,
  deposit: DepositRow,
  quote: QuoteBody | null,
  reason: FailReason,
): LegRow {
  const recipient = quote === null ? deposit.depositor : refundAddress(deposit, quote);
  const decided = work.update('deposits', deposit.fundingKey, { decision: 'refund' });
  endEarmark(work, deposit.requestId, 'refused');
  oweSweep(context, work, decided);
  return owesRefund(context, work, decided, recipient, deposit.amount, reason);
}

/** A transfer from a blocked account: not swept, and held once it is final. */
export function holdDeposit(
  context: EngineContext,
  work: UnitOfWork,
  deposit: DepositRow,
  quote: QuoteBody | null,
): LegRow {
  const recipient = quote === null ? deposit.depositor : refundAddress(deposit, quote);
  const decided = work.update('deposits', deposit.fundingKey, { decision: 'hold' });
  endEarmark(work, deposit.requestId, 'refused');
  return owesRefund(context, work, decided, recipient, deposit.amount, 'BLOCKED_WALLET');
}

function judge(
  context: EngineContext,
  deposit: DepositRow,
  quote: QuoteBody | null,
  taken: boolean,
  givenUp = false,
): Decision {
  return decide({
    now: quote ? chainNow(context, quote.destination.chainId) : context.clock.now(),
    deposit: { ...deposit, blockTime: deposit.blockTime ?? context.clock.now() },
    quote,
    taken,
    givenUp,
    lateTerms: quote ? lateTerms(context, quote) : null,
    pairNow: quote ? pairNow(context, quote) : null,
    maxRequestMicroUsd: context.policy.limits.maxRequestMicroUsd,
    valueMicroUsd: BigInt(deposit.valueUsd),
  });
}

export function paysFor(
  context: EngineContext,
  deposit: DepositRow,
  quote: QuoteBody,
  fill: LegRow,
  extra: LegRow | undefined,
): boolean {
  return pays(fill, extra, judge(context, deposit, quote, false));
}

/**
 * A transfer that took over a request but does not pay for its fill becomes a duplicate; the request waits for the
 * fill's own deposit.
 */
function stepBack(context: EngineContext, work: UnitOfWork, deposit: DepositRow, fill: LegRow): DepositRow {
  const request = work.get('requests', deposit.requestId);
  if (!request || fill.fundingKey === null) throw new Error(`${fill.id} has no deposit`);
  const child = giveOwnRequest(context, work, deposit, request);
  const { fundingKey } = fill;
  moveRequest(
    context,
    work,
    request.id,
    'depositReorged',
    { failReason: 'DEPOSIT_REORGED', fundingKey },
    { evidence: { kind: 'depositVanished', fundingKey } },
  );
  return child;
}

/**
 * The order's refund recipient on its chain. On another chain that address may have another owner or none: there the
 * depositor, once proven.
 */
function refundAddress(deposit: DepositRow, quote: QuoteBody): string {
  // guard: wrong-chain-payer
  return deposit.chainId === quote.origin.chainId ? quote.refundRecipient : deposit.depositor;
}

function owesFill(
  context: EngineContext,
  work: UnitOfWork,
  budget: Budget,
  deposit: DepositRow,
  quote: QuoteBody,
  decision: Extract<Decision, { kind: 'fill' }>,
): void {
  const now = context.clock.now();
  const chainId = quote.destination.chainId;
  const base = {
    chainId,
    signer: laneFor(context, chainId, 'fill'),
    currency: quote.destination.currency,
    amount: decision.amountOut,
    covers: decision.covers - coversTopUp(work, quote, decision.topUp ?? 0n),
  };
  const id = legId.fill(quote.orderId);
  const earlier = work.get('legs', id);
  // Abandoned before: an order has one fill, permanently.
  if (earlier && !isIdle(earlier) && !isOut(earlier)) {
    work.update('deposits', deposit.fundingKey, { decision: 'refund' });
    owesRefund(context, work, deposit, refundAddress(deposit, quote), deposit.amount, 'DOUBLE_SPEND');
    return;
  }
  work.update('deposits', deposit.fundingKey, { decision: 'fill' });
  if (earlier && !isIdle(earlier)) {
    const before = earlier.fundingKey === null ? undefined : work.get('deposits', earlier.fundingKey);
    if (before) moveVolume(work, earlier, before, deposit);
    work.update('legs', id, { fundingKey: deposit.fundingKey });
    moveTopUp(context, work, quote, deposit);
    if (deposit.state !== 'final') expose(work, deposit, 1n);
  } else {
    const extra = newTopUp(context, work, quote, decision.topUp ?? 0n);
    const claim = budget.claim(work, { ...base, covers: decision.covers }, deposit, extra);
    const terms = {
      ...base,
      fundingKey: deposit.fundingKey,
      state: claim.ok ? 'owed' : 'short',
      reason: claim.ok ? null : claim.reason,
      dueAt: now,
      claimedAt: claim.ok ? now : null,
    } as const;
    if (earlier) work.update('legs', id, terms);
    else {
      work.insert('legs', {
        ...terms,
        id,
        version: 1,
        requestId: deposit.requestId,
        kind: 'fill',
        recipient: quote.recipient,
        orderId: quote.orderId,
        deadlineAt: quote.deadlineAt,
        key: null,
        includedAt: null,
        work: quote.fillWork === undefined ? null : BigInt(quote.fillWork),
        spent: 0n,
        ...FRESH,
        joined: null,
        createdAt: now,
      });
    }
    if (extra) owesTopUp(context, work, deposit, quote, extra, claim.ok);
    else moveTopUp(context, work, quote, deposit);
  }
  if (decision.excess > 0n) owesBack(context, work, deposit, 'excess', quote.refundRecipient, decision.excess, null);
}

/** Only if it covers exactly the same. */
function pays(fill: LegRow, extra: LegRow | undefined, decision: Decision): boolean {
  // That part was refunded from its own deposit.
  const part = extra === undefined || extra.state === 'void' || extra.state === 'closed' ? 0n : extra.covers;
  return decision.kind === 'fill' && fill.covers + part === decision.covers && fill.amount <= decision.amountOut;
}

export function owesRefund(
  context: EngineContext,
  work: UnitOfWork,
  deposit: DepositRow,
  recipient: string,
  covers: bigint,
  reason: FailReason,
): LegRow {
  const request = work.get('requests', deposit.requestId);
  if (request && request.failReason === null) work.update('requests', request.id, { failReason: reason });
  return owesBack(context, work, deposit, 'refund', recipient, covers, reason);
}

/** For a fill that did not happen and no longer can. */
export function refundInstead(
  context: EngineContext,
  work: UnitOfWork,
  request: RequestRow,
  fill: LegRow,
  reason: FailReason,
): void {
  const deposit = fill.fundingKey === null ? undefined : work.get('deposits', fill.fundingKey);
  if (!deposit) throw new Error(`the deposit of ${fill.id} was not loaded`);
  const body = JSON.parse(request.body) as QuoteBody;
  owesRefund(context, work, deposit, body.refundRecipient, fill.covers, reason);
}

/** By the single excess leg of the deposit. False where that leg is already owed. */
export function owesPart(
  context: EngineContext,
  work: UnitOfWork,
  deposit: DepositRow,
  recipient: string,
  covers: bigint,
  reason: string,
): boolean {
  const earlier = work.get('legs', legId.excess(deposit.fundingKey));
  if (earlier && earlier.state !== 'void') return false;
  owesBack(context, work, deposit, 'excess', recipient, covers, reason);
  return true;
}

function owesBack(
  context: EngineContext,
  work: UnitOfWork,
  deposit: DepositRow,
  kind: 'refund' | 'excess',
  recipient: string,
  covers: bigint,
  reason: string | null,
): LegRow {
  const now = context.clock.now();
  // Race closed here: a change of the deposit between this read and the commit would leave the leg waiting for ever.
  work.touch('deposits', deposit.fundingKey);
  const id = legId[kind](deposit.fundingKey);
  const terms = {
    requestId: deposit.requestId,
    state:
      /* guard: refund-needs-finality */ deposit.state === 'final'
        ? 'owed'
        : deposit.state === 'vanished'
          ? 'suspended'
          : 'blocked',
    amount: covers,
    covers,
    recipient,
    reason,
    dueAt: now,
    ...FRESH,
  } as const;
  const earlier = work.get('legs', id);
  if (earlier) {
    if (earlier.state !== 'void') throw new Error(`${id} is owed already`);
    return work.update('legs', id, terms);
  }
  return work.insert('legs', {
    ...terms,
    id,
    version: 1,
    fundingKey: deposit.fundingKey,
    kind,
    chainId: deposit.chainId,
    signer: laneFor(context, deposit.chainId, kind),
    currency: deposit.currency,
    orderId: deposit.orderId,
    deadlineAt: null,
    key: null,
    includedAt: null,
    claimedAt: null,
    work: null,
    spent: 0n,
    joined: null,
    createdAt: now,
  });
}
