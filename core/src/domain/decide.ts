import type { ChainId } from '../contract/ids.js';
import type { FailReason } from '../errors/fail-reasons.js';
import { canFund } from './can-fund.js';
import { type PriceTerms, priceExactInput, topUpCharge } from './fees.js';
import { isFirm } from './fixed-rate.js';
import type { PairPrice } from './pair-price.js';
import { guardPrice } from './price-guard.js';
import type { QuoteBody } from './quote.js';
import { mostUsed } from './swap-in.js';

/** What the chain proves about a transfer, as far as the decision needs it. */
export interface FundingFacts {
  readonly chainId: ChainId;
  readonly currency: string;
  readonly amount: bigint;
  readonly depositor: string;
  /** Time of the including block: lateness is judged by the chain's clock, not by ours. */
  readonly blockTime: number;
}

export interface DecideInput {
  /** The destination chain's clock. */
  readonly now: number;
  readonly deposit: FundingFacts;
  /** The promise that the deposit names; null when it names no order of this service. */
  readonly quote: QuoteBody | null;
  /** The request is a child: another transfer owns the order, or this one could not fund it. */
  readonly taken: boolean;
  /** It landed after its request failed for having waited too long: its payer was told so, and may have paid in another way. */
  readonly givenUp: boolean;
  /** Fresh terms for a deposit past the quote's validity; null while prices or fees are missing. */
  readonly lateTerms: PriceTerms | null;
  /** What the pair is exchanged at now; null while prices are missing. */
  readonly pairNow: PairPrice | null;
  /** Largest value of one request, and this one's, both in micro-USD. */
  readonly maxRequestMicroUsd: bigint | null;
  readonly valueMicroUsd: bigint;
}

/**
 * The one settlement decision about a funding transfer. `covers` parts add up to the transfer's amount:
 * for a fill `covers + excess`, for a refund all of it.
 */
export type Decision =
  | {
      readonly kind: 'fill';
      readonly amountOut: bigint;
      readonly covers: bigint;
      readonly excess: bigint;
      /** Part of `covers` that a top-up settles; absent where none goes beside the fill. */
      readonly topUp?: bigint;
    }
  | { readonly kind: 'refund'; readonly reason: FailReason; readonly to: 'orderRecipient' | 'depositor' }
  /** Nothing may be decided yet: a deposit without the prices that it is judged by, until the order's deadline. */
  | { readonly kind: 'wait' };

/**
 * Decides what a transfer funds. Pure; every transfer is judged alone.
 *
 * Invariants: an unknown order is refunded to the depositor that the chain proves, a known one only to the recipient
 * fixed in the order; a fill never promises more than the arrived amount pays for under the quote's own fee function.
 */
export function decide(input: DecideInput): Decision {
  const { deposit, quote } = input;
  if (quote === null) return { kind: 'refund', reason: 'ORPHANED_DEPOSIT_REFUND', to: 'depositor' };
  const refuse = (reason: FailReason): Decision => ({ kind: 'refund', reason, to: 'orderRecipient' });
  if (input.givenUp) return refuse('ORPHANED_DEPOSIT_REFUND');
  if (input.taken && canFund(quote, deposit)) return refuse('DOUBLE_SPEND');
  if (quote.tombstone) return refuse('ORDER_EXPIRED');
  if (quote.ownSwap) return refuse('ORPHANED_DEPOSIT_REFUND');
  if (deposit.chainId !== quote.origin.chainId) return refuse('DEPOSIT_CHAIN_MISMATCH');
  if (deposit.currency !== quote.origin.currency) return refuse('INCORRECT_DEPOSIT_CURRENCY');
  if (input.taken) return refuse('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
  if (quote.forceRefund) return refuse('UNKNOWN');
  if (deposit.blockTime > quote.deadlineAt) return refuse('ORDER_EXPIRED');
  if (quote.ttlAt !== null && deposit.blockTime > quote.ttlAt) return refuse('TTL_EXPIRED');
  // A fixed rate was held against the bound when it was quoted, and no price moves it past the bound.
  const firm = isFirm(quote, deposit.blockTime);
  if (!firm && input.maxRequestMicroUsd !== null && input.valueMicroUsd > input.maxRequestMicroUsd) {
    return refuse('SOLVER_CAPACITY_EXCEEDED');
  }
  if (deposit.blockTime > quote.expiresAt) return late(input, quote);
  const decision = onTime(deposit, quote);
  return firm ? decision : guarded(input, quote, decision);
}

function onTime(deposit: FundingFacts, quote: QuoteBody): Decision {
  const quotedIn = BigInt(quote.amountIn);
  // A swap on the way in may have brought a little more.
  if (deposit.amount > quotedIn && mostUsed(quote) > quotedIn)
    return rescaled(deposit, quote, quote.terms, 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
  if (deposit.amount >= quotedIn) {
    const [amountOut, excess] = [BigInt(quote.amountOut), deposit.amount - quotedIn];
    return { kind: 'fill', amountOut, covers: quotedIn, excess, ...beside(quote.terms) };
  }
  if (quote.tradeType === 'EXACT_OUTPUT') return underpaid('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
  return rescaled(deposit, quote, quote.terms, 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
}

/** The price may have moved since the quote: within the quote's spread the promised output is kept. */
function guarded({ pairNow, now }: DecideInput, quote: QuoteBody, decision: Decision): Decision {
  if (decision.kind !== 'fill') return decision;
  if (pairNow === null) return now > quote.deadlineAt ? underpaid('PROTOCOL_DEADLINE_EXPIRED') : { kind: 'wait' };
  const kept = guardPrice(quote, decision, pairNow);
  return kept.ok ? { ...decision, amountOut: kept.amountOut } : underpaid('SLIPPAGE');
}

function late({ deposit, lateTerms: terms, now }: DecideInput, quote: QuoteBody): Decision {
  // Past the deadline there is nothing left to price: prices that never come must not keep the money.
  if (terms === null) return now > quote.deadlineAt ? underpaid('PROTOCOL_DEADLINE_EXPIRED') : { kind: 'wait' };
  const quotedIn = BigInt(quote.amountIn);
  if (deposit.amount < quotedIn && quote.tradeType === 'EXACT_OUTPUT') {
    return underpaid('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
  }
  const minimumAmount = quote.lateMinimumAmount ?? quote.minimumAmount;
  const judged = { ...quote, minimumAmount };
  // The price is the reason only where the quoted amount would have fallen short, too.
  const whole = rescaled({ ...deposit, amount: quotedIn }, judged, terms, 'SLIPPAGE');
  return rescaled(deposit, judged, terms, whole.kind === 'fill' ? 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL' : 'SLIPPAGE');
}

/** Prices what arrived (never more than may be used; the rest is excess) and fills if at least the minimum comes out. */
function rescaled(deposit: FundingFacts, quote: QuoteBody, terms: PriceTerms, short: FailReason): Decision {
  const most = mostUsed(quote);
  const used = deposit.amount < most ? deposit.amount : most;
  const priced = priceExactInput(used, terms);
  if (!priced.ok) return underpaid(priced.reason);
  if (priced.amounts.amountOut < BigInt(quote.minimumAmount)) return underpaid(short);
  const asked = BigInt(quote.amountOut);
  const exact = quote.tradeType === 'EXACT_OUTPUT' && priced.amounts.amountOut > asked;
  return {
    kind: 'fill',
    amountOut: exact ? asked : priced.amounts.amountOut,
    covers: used,
    excess: deposit.amount - used,
    ...beside(terms),
  };
}

function beside(terms: PriceTerms): { readonly topUp?: bigint } {
  return terms.topUp === undefined ? {} : { topUp: topUpCharge(terms) };
}

function underpaid(reason: FailReason): Decision {
  return { kind: 'refund', reason, to: 'orderRecipient' };
}
