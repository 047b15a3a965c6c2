import type { QuoteBody, QuoteSide } from './quote.js';
import type { SwapRules } from './swap-out.js';

/**
 * A deposit that its payer swaps out of another currency of the origin, in the same transaction. The order's money path, which is
 * the `origin` and `amountIn` of its quote, begins with what is deposited; this is what the payer gives for it. Amounts are
 * decimal strings in the smallest unit.
 */
export interface SwapIn {
  readonly side: QuoteSide;
  /** USD of one whole unit when it was quoted. */
  readonly usd: string;
  /** What the payer is asked for, in `side`. What is not needed of it stays with the payer. */
  readonly amount: string;
  /** Least that comes out, in the deposit's currency; enforced on chain. */
  readonly least: string;
  /** Most of it that the recipient gets the worth of; absent: `amountIn`. The rest is paid back. */
  readonly most?: string;
  /** The source that it was quoted from. Another one may swap what is paid back. */
  readonly source: string;
  readonly rules: SwapRules;
  /** Work of the swap, in the origin's unit. */
  readonly work: string;
  /** However much the pools take of its value (`overridePriceImpact`). */
  readonly anyImpact?: true;
}

/** What the payer of an order pays with. */
export function paidSide({ origin, swapIn }: Pick<QuoteBody, 'origin' | 'swapIn'>): QuoteSide {
  return swapIn?.side ?? origin;
}

/** Most of a deposit that is delivered the worth of, smallest unit. */
export function mostUsed({ amountIn, swapIn }: Pick<QuoteBody, 'amountIn' | 'swapIn'>): bigint {
  return BigInt(swapIn?.most ?? amountIn);
}
