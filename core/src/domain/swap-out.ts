import type { QuoteBody, QuoteSide } from './quote.js';

export interface SwapRules {
  /** Source ids, lower case; absent: all. */
  readonly included?: readonly string[];
  readonly excluded?: readonly string[];
  /** Maximum pools per route; absent: the source's limit. */
  readonly maxHops?: number;
}

/**
 * The quote's `destination`, `amountOut` and `minimumAmount` are the solver's payout; this is what the recipient gets
 * after the swap. Amounts are decimal strings in the smallest unit of `side`.
 */
export interface SwapOut {
  readonly side: QuoteSide;
  readonly usd: string;
  readonly expected: string;
  /** Less counts as no fill; enforced on chain. */
  readonly least: string;
  /** The same for a deposit past the validity; absent: the same. */
  readonly lateLeast?: string;
  readonly source: string;
  readonly rules: SwapRules;
  /** The solver retains what the asked output does not need. */
  readonly exact?: true;
  /** Price impact is not limited (`overridePriceImpact`). */
  readonly anyImpact?: true;
  /** If the swap fails, the recipient gets the payout unswapped (`useFallbacks`). */
  readonly fallback?: true;
}

export function deliveredSide({ destination, swapOut }: Pick<QuoteBody, 'destination' | 'swapOut'>): QuoteSide {
  return swapOut?.side ?? destination;
}
