import type { DestinationCall } from './chain-capabilities.js';
import type { ChainId } from './ids.js';

/** Currencies are canonical addresses, including native coin. */
export interface SwapWish {
  readonly chainId: ChainId;
  readonly input: string;
  readonly output: string;
  readonly kind: 'exactInput' | 'exactOutput';
  /** Smallest unit of the side that `kind` fixes. */
  readonly amount: bigint;
  /** Maximum pools on the route; absent: the source's limit. */
  readonly maxHops?: number;
}

export interface SwapQuote {
  /** Smallest unit. The fixed side equals the wish. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly route: readonly string[];
  /** Typical work of its calls, in the chain's unit. */
  readonly work: bigint;
  /** Block it was quoted from; 0 if unknown. */
  readonly height: number;
  /** Opaque to core, handed back to `build` and `calls`. */
  readonly plan: unknown;
}

export type SwapAnswer =
  /** Pareto-optimal in amount and work; greatest net first. */
  | { readonly ok: true; readonly quotes: readonly SwapQuote[] }
  /**
   * `noRoute`: no route exists. `tooMuch`: liquidity on the routes is insufficient. `unavailable`: unknown now; ask
   * again.
   */
  | { readonly ok: false; readonly why: 'noRoute' | 'tooMuch' | 'unavailable'; readonly message: string };

export type SwapBuilt =
  /** Input of `calls` for the same parties. */
  | { readonly ok: true; readonly quote: SwapQuote }
  /** `moved`: the price passed the limit. `unavailable`: unknown now; ask again. */
  | { readonly ok: false; readonly why: 'moved' | 'unavailable'; readonly message: string };

export interface SwapParties {
  /** Makes the calls and holds the input. */
  readonly payer: string;
  readonly recipient: string;
  /** Smallest unit, enforced on chain: minimum output of an exact input, maximum input of an exact output. */
  readonly limit: bigint;
}

/** Expected refusals are values. */
export interface LiquiditySource {
  /** Id in `GET /swap-sources` and in the include and exclude lists of quotes. */
  readonly id: string;
  supports(chainId: ChainId): boolean;
  /**
   * A promise only if an external service is asked.
   *
   * @param isPaid the order was paid. A rate-limited source reserves capacity for these.
   */
  quote(wish: SwapWish, signal: AbortSignal, isPaid?: boolean): SwapAnswer | Promise<SwapAnswer>;
  /**
   * Third-party calls whose limit core cannot verify: made only with the result measured on chain, reverting below
   * the limit. Absent: the calls enforce the limit.
   */
  readonly isMeasured?: true;
  /**
   * If present, a quote only states the result, and `calls` takes only what this returns for the same parties:
   *
   *     const built = (await source.build?.(wish, quote, parties, signal)) ?? { ok: true, quote };
   *     if (built.ok) source.calls(wish, built.quote, parties);
   *
   * Built quotes age as others do and are simulated before use. Refusals are values, also on abort. Has its own time
   * limit.
   *
   * @param isPaid as for `quote`.
   */
  build?(
    wish: SwapWish,
    quote: SwapQuote,
    parties: SwapParties,
    signal: AbortSignal,
    isPaid?: boolean,
  ): Promise<SwapBuilt>;
  /**
   * Calls of a quoted swap, in order, all or none. They approve exactly the input and leave no approval behind. Local
   * work only.
   *
   * @throws if the source has `build` and the quote was not built for these parties.
   */
  calls(wish: SwapWish, quote: SwapQuote, parties: SwapParties): readonly DestinationCall[];
}
