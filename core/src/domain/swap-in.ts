import type { QuoteBody, QuoteSide } from './quote.js';
import type { SwapRules } from './swap-out.js';

/**
 * The quote's `origin` and `amountIn` are what is deposited; this is what the payer swaps for it in the same
 * transaction. Amounts are decimal strings in the smallest unit.
 */
export interface SwapIn {
  readonly side: QuoteSide;
  /** USD per whole unit when quoted. */
  readonly usd: string;
  /** Asked from the payer, in `side`; the unused part stays with the payer. */
  readonly amount: string;
  /** Minimum output in the deposit's currency, enforced on chain. */
  readonly least: string;
  /** Maximum output that is filled; the rest is refunded. Absent: `amountIn`. */
  readonly most?: string;
  readonly source: string;
  readonly rules: SwapRules;
  readonly work: string;
  /** Price impact is not limited (`overridePriceImpact`). */
  readonly anyImpact?: true;
}

export function paidSide({ origin, swapIn }: Pick<QuoteBody, 'origin' | 'swapIn'>): QuoteSide {
  return swapIn?.side ?? origin;
}

export function mostUsed({ amountIn, swapIn }: Pick<QuoteBody, 'amountIn' | 'swapIn'>): bigint {
  return BigInt(swapIn?.most ?? amountIn);
}
