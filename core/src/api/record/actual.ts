import type { RequestRow } from '../../contract/store-rows.js';
import { type PricedAmounts, priceExactInput } from '../../domain/fees.js';
import type { QuoteBody } from '../../domain/quote.js';
import { mostUsed } from '../../domain/swap-in.js';

/** As the engine recorded it. Null: unknown, or did not happen. */
export interface Actual {
  /** What arrived, smallest unit of `currencyIn`. */
  readonly amountIn: bigint;
  readonly currencyIn: string | null;
  /** What was delivered; null before a fill. */
  readonly amountOut: bigint | null;
  /** What the solver gave if a swap produced the delivery; null without a swap. */
  readonly given: bigint | null;
  /** Native coin delivered in addition; null if none was. */
  readonly topUp: bigint | null;
  /** What was refunded of a deposit that was swapped; null if there was no swap. */
  readonly back: { readonly currency: string; readonly amount: bigint } | null;
}

export function actualOf(request: RequestRow): Actual | null {
  if (request.actual === null) return null;
  const stored = JSON.parse(request.actual) as {
    readonly amountIn?: string;
    readonly currencyIn?: string | null;
    readonly amountOut?: string | null;
    readonly given?: string;
    readonly topUp?: string;
    readonly back?: { readonly currency: string; readonly amount: string };
  };
  if (stored.amountIn === undefined) return null;
  return {
    amountIn: BigInt(stored.amountIn),
    currencyIn: stored.currencyIn ?? null,
    amountOut: stored.amountOut == null ? null : BigInt(stored.amountOut),
    given: stored.given === undefined ? null : BigInt(stored.given),
    topUp: stored.topUp === undefined ? null : BigInt(stored.topUp),
    back: stored.back === undefined ? null : { ...stored.back, amount: BigInt(stored.back.amount) },
  };
}

/** The part of a deposit that a fill uses, smallest unit of the quoted currency; the excess is refunded. */
export function usedOf(body: QuoteBody, { amountIn }: Pick<Actual, 'amountIn'>): bigint {
  const most = mostUsed(body);
  return amountIn < most ? amountIn : most;
}

/** The quote's fee function over the used part of the deposit; null before a fill. */
export function actualFees(body: QuoteBody, actual: Actual | null): PricedAmounts | null {
  if (actual === null || actual.amountOut === null) return null;
  // An own execution pays the quoted fee, whatever input was returned to the payer.
  const used = body.payerSwap ? BigInt(body.amountIn) : usedOf(body, actual);
  const priced = priceExactInput(used, body.terms);
  return priced.ok ? priced.amounts : null;
}
