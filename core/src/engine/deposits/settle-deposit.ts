import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import { type Decision, decide } from '../../domain/decide.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import { chainNow, chainOf, type EngineContext } from '../base/context.js';
import { laneFor } from '../base/lanes.js';
import { FRESH, isIdle } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { topUpOf } from '../books/beside.js';
import { type Budget, expose, moveVolume } from '../books/budget.js';
import { giveOwnRequest } from '../books/child-requests.js';
import { isOut, releaseValue } from '../books/deposit-life.js';
import { endEarmark } from '../books/earmarks.js';
import { lateTerms, pairNow } from '../books/prices-now.js';
import { moveRequest } from '../books/requests.js';
import { isLandedLate } from '../books/unconfirmed.js';
import { besideOf, coversBeside, moveTopUp, owesTopUp } from './owe-top-up.js';

/**
 * Makes the one settlement decision of a funding transfer and writes its legs.
 *
 * Invariants (G2, G3): a transfer whose decision is not `waiting` is never decided again; the legs' `covers` add up
 * to its amount; a refund or excess leg stays `blocked` until the transfer is final.
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
  const decision = judge(context, deposit, quote, taken, request !== undefined && isLandedLate(request));
  if (decision.kind === 'wait') {
    // Nothing will ever be known of a chain that left the config: an operator hears of it.
    if (quote) for (const { chainId } of [quote.origin, quote.destination]) chainOf(context, chainId);
    return;
  }
  const fill = quote && !taken ? work.get('legs', legId.fill(quote.orderId)) : undefined;
  if (fill && isOut(fill) && fill.fundingKey !== deposit.fundingKey && !pays(fill, topUpOf(work, fill), decision)) {
    const child = stepBack(context, work, deposit, fill);
    settleDeposit(context, work, budget, child, quote, true);
    return;
  }
  if (decision.kind === 'fill' && quote) owesFill(context, work, budget, deposit, quote, decision);
  if (decision.kind === 'refund') {
    refundDeposit(context, work, deposit, decision.to === 'depositor' ? null : quote, decision.reason);
    if (taken && quote && decision.reason === 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL')
      work.update('requests', deposit.requestId, { details: tooLittle(deposit, quote) });
  }
  releaseValue(context, work, deposit.fundingKey);
}

/** For the one who paid an order in parts: each of them is judged alone, and the order goes on waiting. */
function tooLittle({ amount, transactionHash }: DepositRow, { amountIn, origin }: QuoteBody): string {
  return (
    `${amount} of ${amountIn} ${origin.symbol} (smallest unit) arrived with ${transactionHash}: too little to fill the order, and paid back. ` +
    'Transfers of several transactions are not added up: pay the whole amount with one.'
  );
}

/** Decides that a transfer is paid back whole: to its order's recipient of refunds, or without an order to its depositor. */
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
  return owesRefund(context, work, decided, recipient, deposit.amount, reason);
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

/** True for a transfer that, as things stand, pays for a fill that is already out. */
export function paysFor(
  context: EngineContext,
  deposit: DepositRow,
  quote: QuoteBody,
  fill: LegRow,
  beside: LegRow | undefined,
): boolean {
  return pays(fill, beside, judge(context, deposit, quote, false));
}

/**
 * A transfer took a request over and turns out not to pay for the fill that is out: it becomes a duplicate, and the request
 * waits again for the transfer that the fill was sent for.
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
 * Whom a deposit is paid back to: the order's recipient of refunds on the chain that it was named for. On another chain the
 * same address may belong to nobody, as that of a contract that was not deployed there, or to a stranger; there it is the
 * depositor, who has to be proven before it is paid.
 */
function refundAddress(deposit: DepositRow, quote: QuoteBody): string {
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
    covers: decision.covers - coversBeside(work, quote, decision.topUp ?? 0n),
  };
  const id = legId.fill(quote.orderId);
  const earlier = work.get('legs', id);
  // Given up before this transfer came: one order has one fill, for ever.
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
    const beside = besideOf(context, work, quote, decision.topUp ?? 0n);
    const claim = budget.claim(work, { ...base, covers: decision.covers }, deposit, beside);
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
        createdAt: now,
      });
    }
    if (beside) owesTopUp(context, work, deposit, quote, beside, claim.ok);
    else moveTopUp(context, work, quote, deposit);
  }
  if (decision.excess > 0n) owesBack(context, work, deposit, 'excess', quote.refundRecipient, decision.excess, null);
}

/** A transfer that took over a request pays for a fill that is already out, if it covers exactly the same. */
function pays(fill: LegRow, beside: LegRow | undefined, decision: Decision): boolean {
  // What was given up beside it went back out of the deposit that it was decided for.
  const part = beside === undefined || beside.state === 'void' || beside.state === 'closed' ? 0n : beside.covers;
  return decision.kind === 'fill' && fill.covers + part === decision.covers && fill.amount <= decision.amountOut;
}

/** Owes the whole or a part of a transfer to its refund recipient; the request keeps the reason. */
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

/** Owes a refund in place of a fill that did not happen and cannot happen any more. */
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

/**
 * Owes back the part of a deposit that was for something beside its fill: as what was paid on top is, of which there is one leg for
 * each deposit. False where that leg is owed already.
 */
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
  // Race closed here: the deposit may become final, or vanish, between our reading it and this commit. The leg would
  // then wait for a change of the deposit that is already over, and its value would never be paid back.
  work.touch('deposits', deposit.fundingKey);
  const id = legId[kind](deposit.fundingKey);
  const terms = {
    requestId: deposit.requestId,
    state: deposit.state === 'final' ? 'owed' : deposit.state === 'vanished' ? 'suspended' : 'blocked',
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
    createdAt: now,
  });
}
