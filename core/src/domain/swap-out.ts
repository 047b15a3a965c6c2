import type { QuoteBody, QuoteSide } from './quote.js';

/** Which liquidity sources may take part in a swap, and how far it may go. JSON-safe. */
export interface SwapRules {
  /** Ids of sources, lower case; absent: every one. */
  readonly included?: readonly string[];
  readonly excluded?: readonly string[];
  /** Most pools of one way; absent: as many as a source looks through. */
  readonly maxHops?: number;
}

/**
 * A fill that exchanges what the solver gives for another currency of the same chain. The order's money path, which is the
 * `destination`, `amountOut` and `minimumAmount` of its quote, ends with what the solver gives; this is what the recipient
 * gets for it. Amounts are decimal strings in the smallest unit of `side`.
 */
export interface SwapOut {
  readonly side: QuoteSide;
  /** USD of one whole unit when it was quoted. */
  readonly usd: string;
  readonly expected: string;
  /** Less counts as no fill; enforced on chain. */
  readonly least: string;
  /** The same for a deposit past the validity; absent: the same. */
  readonly lateLeast?: string;
  /** The source that it was quoted from. Another one may do it. */
  readonly source: string;
  readonly rules: SwapRules;
  /** The solver keeps what the asked output turns out not to take, instead of exchanging all that was charged for it. */
  readonly exact?: true;
  /** However much the pools take of its value (`overridePriceImpact`). */
  readonly anyImpact?: true;
  /** Where it cannot be exchanged, the recipient gets what the solver gives (`useFallbacks`). */
  readonly fallback?: true;
}

/** What the recipient of an order gets. */
export function deliveredSide({ destination, swapOut }: Pick<QuoteBody, 'destination' | 'swapOut'>): QuoteSide {
  return swapOut?.side ?? destination;
}
