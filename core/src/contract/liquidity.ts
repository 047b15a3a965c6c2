import type { Currency } from './currency.js';
import type { ChainId } from './ids.js';

export interface LiquidityQuoteInput {
  readonly chainId: ChainId;
  readonly input: Currency;
  readonly output: Currency;
  readonly kind: 'exactInput' | 'exactOutput';
  /** Smallest unit of the side that `kind` fixes. */
  readonly amount: bigint;
}

export interface LiquidityQuote {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Opaque to core; handed back to `buildCalls`. */
  readonly plan: unknown;
}

/** Swaps on one chain. Expected refusals are values. */
export interface LiquiditySource {
  readonly id: string;
  supports(chainId: ChainId): boolean;
  quote(
    input: LiquidityQuoteInput,
    signal: AbortSignal,
  ): Promise<{ readonly ok: true; readonly quote: LiquidityQuote } | { readonly ok: false; readonly reason: string }>;
  /** Calls that perform the quoted swap for `recipient`, in the chain family's own call form. */
  buildCalls(quote: LiquidityQuote, recipient: string): Promise<readonly unknown[]>;
  /** What a mined swap delivered, in the smallest unit of the output currency. */
  delivered(chainId: ChainId, transactionHash: string): Promise<bigint | undefined>;
}
