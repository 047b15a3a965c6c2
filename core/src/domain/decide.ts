import type { ChainId } from '../contract/ids.js';
import type { FailReason } from '../errors/fail-reasons.js';
import { canFund } from './can-fund.js';
import { type PriceTerms, priceExactInput, topUpCharge } from './fees.js';
import { isFirm } from './fixed-rate.js';
import { valueMicroUsd } from './money.js';
import type { PairPrice } from './pair-price.js';
import { guardPrice } from './price-guard.js';
import type { QuoteBody, SponsoredAmount } from './quote.js';
import { mostUsed } from './swap-in.js';

export interface FundingFacts {
  readonly chainId: ChainId;
  readonly currency: string;
  readonly amount: bigint;
  readonly depositor: string;
  /** Time of the including block: the chain's clock decides lateness. */
  readonly blockTime: number;
}

export interface DecideInput {
  /** The destination chain's clock. */
  readonly now: number;
  readonly deposit: FundingFacts;
  /** Null when the deposit names no order of this service. */
  readonly quote: QuoteBody | null;
  /** A child request: another transfer owns the order, or this one could not fund it. */
  readonly taken: boolean;
  /** Landed after its request had failed by timeout: its payer was notified and may have paid otherwise. */
  readonly givenUp: boolean;
  /** For a deposit past the quote's validity; null while prices or fees are missing. */
  readonly lateTerms: PriceTerms | null;
  readonly pairNow: PairPrice | null;
  /** Limit for one request, and this request's value; micro-USD. */
  readonly maxRequestMicroUsd: bigint | null;
  readonly valueMicroUsd: bigint;
}

/** The one settlement decision. For a fill `covers + excess` equal the amount, for a refund `covers` does. */
export type Decision =
  | {
      readonly kind: 'fill';
      readonly amountOut: bigint;
      readonly covers: bigint;
      readonly excess: bigint;
      readonly topUp?: bigint;
      /** Part of `amountOut` that an app balance pays; absent without a sponsor. */
      readonly sponsored?: SponsoredAmount;
    }
  | { readonly kind: 'refund'; readonly reason: FailReason; readonly to: 'orderRecipient' | 'depositor' }
  /** Prices are missing; possible until the order's deadline. */
  | { readonly kind: 'wait' };

/**
 * Decides what a transfer funds. Pure; every transfer is judged alone.
 *
 * Invariants: an unknown order is refunded to the chain-proven depositor, a known one only to the recipient fixed in
 * the order; a fill never promises more than the arrived amount pays for under the quote's own fee function.
 */
export function decide(input: DecideInput): Decision {
  const { deposit, quote } = input;
  if (quote === null) return { kind: 'refund', reason: 'ORPHANED_DEPOSIT_REFUND', to: 'depositor' };
  const refuse = (reason: FailReason): Decision => ({ kind: 'refund', reason, to: 'orderRecipient' });
  if (input.givenUp) return refuse('ORPHANED_DEPOSIT_REFUND');
  if (input.taken && canFund(quote, deposit)) return refuse('DOUBLE_SPEND');
  if (quote.tombstone) return refuse('ORDER_EXPIRED');
  if (quote.payerSwap) return refuse('ORPHANED_DEPOSIT_REFUND');
  if (deposit.chainId !== quote.origin.chainId) return refuse('DEPOSIT_CHAIN_MISMATCH');
  if (deposit.currency !== quote.origin.currency) return refuse('INCORRECT_DEPOSIT_CURRENCY');
  if (input.taken) return refuse('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
  if (quote.depositAddress?.type === 'strict' && deposit.amount < BigInt(quote.amountIn))
    return refuse('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
  if (quote.forceRefund) return refuse('UNKNOWN');
  if (deposit.blockTime > quote.deadlineAt) return refuse('ORDER_EXPIRED');
  if (quote.ttlAt !== null && deposit.blockTime > quote.ttlAt) return refuse('TTL_EXPIRED');
  // A fixed rate passed the bound when quoted; later prices do not matter.
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
  if (deposit.amount > quotedIn && mostUsed(quote) > quotedIn)
    return rescaled(deposit, quote, quote.terms, 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
  if (deposit.amount >= quotedIn) {
    const [amountOut, excess] = [BigInt(quote.amountOut), deposit.amount - quotedIn];
    return { kind: 'fill', amountOut, covers: quotedIn, excess, ...extra(quote.terms, quotedIn) };
  }
  if (quote.tradeType === 'EXACT_OUTPUT') return underpaid('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
  return rescaled(deposit, quote, quote.terms, 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
}

/** Within the quote's spread, a price move does not change the promised output. */
function guarded({ pairNow, now }: DecideInput, quote: QuoteBody, decision: Decision): Decision {
  if (decision.kind !== 'fill') return decision;
  if (pairNow === null) return now > quote.deadlineAt ? underpaid('PROTOCOL_DEADLINE_EXPIRED') : { kind: 'wait' };
  const kept = guardPrice(quote, decision, pairNow);
  return kept.ok ? { ...decision, amountOut: kept.amountOut } : underpaid('SLIPPAGE');
}

function late({ deposit, lateTerms: terms, now }: DecideInput, quote: QuoteBody): Decision {
  // Past the deadline it stops waiting, so that missing prices cannot lock the money.
  if (terms === null) return now > quote.deadlineAt ? underpaid('PROTOCOL_DEADLINE_EXPIRED') : { kind: 'wait' };
  const quotedIn = BigInt(quote.amountIn);
  if (deposit.amount < quotedIn && quote.tradeType === 'EXACT_OUTPUT') {
    return underpaid('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
  }
  const minimumAmount = quote.lateMinimumAmount ?? quote.minimumAmount;
  const judged = { ...quote, minimumAmount };
  // The price is the reason only if the quoted amount would also fall short.
  const whole = rescaled({ ...deposit, amount: quotedIn }, judged, terms, 'SLIPPAGE');
  return rescaled(deposit, judged, terms, whole.kind === 'fill' ? 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL' : 'SLIPPAGE');
}

/** Prices the usable part of what arrived (the rest is excess) and fills if at least the minimum comes out. */
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
    amountOut: /* guard: exact-output-kept */ exact ? asked : priced.amounts.amountOut,
    covers: used,
    excess: deposit.amount - used,
    ...extra(terms, used),
  };
}

function extra(terms: PriceTerms, used: bigint): { readonly topUp?: bigint; readonly sponsored?: SponsoredAmount } {
  return {
    ...(terms.topUp === undefined ? {} : { topUp: topUpCharge(terms) }),
    ...(terms.sponsor === undefined ? {} : { sponsored: sponsoredBy(terms, used) }),
  };
}

/** What the sponsor pays of a fill that uses so much of the deposit. */
export function sponsoredBy(terms: PriceTerms, used: bigint): SponsoredAmount {
  const priced = priceExactInput(used, terms);
  const units = (priced.ok ? priced.amounts.sponsored : undefined) ?? 0n;
  const microUsd = valueMicroUsd(units, terms.inDecimals, terms.inUsd, 'ceil');
  return { units: units.toString(), microUsd: microUsd.toString() };
}

function underpaid(reason: FailReason): Decision {
  return { kind: 'refund', reason, to: 'orderRecipient' };
}
