import type { RequestRow } from '../../contract/store-rows.js';
import { type PricedAmounts, priceExactInput } from '../../domain/fees.js';
import type { QuoteBody } from '../../domain/quote.js';
import { mostUsed } from '../../domain/swap-in.js';

/** What really moved, as the engine wrote it. Null parts are not known, or did not happen. */
export interface Actual {
  /** What arrived, smallest unit of `currencyIn`. */
  readonly amountIn: bigint;
  readonly currencyIn: string | null;
  /** What was delivered; null while no fill did. */
  readonly amountOut: bigint | null;
  /** What the solver gave, where a swap made the delivery of it; null where nothing was exchanged. */
  readonly given: bigint | null;
  /** Native coin that was delivered beside it; null while none was. */
  readonly topUp: bigint | null;
  /** What came back instead of the deposit, where that was exchanged; null where it was not. */
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

/** What of a deposit a fill uses, smallest unit of the quoted currency: what is paid too much goes back. */
export function usedOf(body: QuoteBody, { amountIn }: Pick<Actual, 'amountIn'>): bigint {
  const most = mostUsed(body);
  return amountIn < most ? amountIn : most;
}

/** Fee parts of the delivered amount: the quote's fee function over the used part of the deposit; null before a fill. */
export function actualFees(body: QuoteBody, actual: Actual | null): PricedAmounts | null {
  if (actual === null || actual.amountOut === null) return null;
  // What the payer executed paid the fee that was quoted, whatever came back to it of the input.
  const used = body.ownSwap ? BigInt(body.amountIn) : usedOf(body, actual);
  const priced = priceExactInput(used, body.terms);
  return priced.ok ? priced.amounts : null;
}
