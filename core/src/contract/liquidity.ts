import type { DestinationCall } from './chain-capabilities.js';
import type { ChainId } from './ids.js';

/** A swap that is wanted on one chain. Currencies are canonical addresses, native coin among them. */
export interface SwapWish {
  readonly chainId: ChainId;
  readonly input: string;
  readonly output: string;
  readonly kind: 'exactInput' | 'exactOutput';
  /** Smallest unit of the side that `kind` fixes. */
  readonly amount: bigint;
  /** Most pools that it may pass; absent: as many as the source looks through. */
  readonly maxHops?: number;
}

/** One way to make a swap, and what it comes to on the chain as its newest known block left it. */
export interface SwapQuote {
  /** Smallest unit. The side that the wish fixes is as wished. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Currencies on the way, the input first and the output last. */
  readonly route: readonly string[];
  /** Work of its calls, in the chain's own unit, as it mostly is. */
  readonly work: bigint;
  /** Block that it was quoted from; 0 where whoever was asked did not tell. */
  readonly height: number;
  /** Opaque to core, handed back to `build` and `calls`. */
  readonly plan: unknown;
}

export type SwapAnswer =
  /** None better in both amount and work than another; the greatest net of the other side first. */
  | { readonly ok: true; readonly quotes: readonly SwapQuote[] }
  /**
   * `noRoute`: nothing leads from one to the other. `tooMuch`: what lies on the way has not so much. `unavailable`: nothing is
   * known now; ask again.
   */
  | { readonly ok: false; readonly why: 'noRoute' | 'tooMuch' | 'unavailable'; readonly message: string };

export type SwapBuilt =
  /** The quote that `calls` takes for these parties. It may have become better. */
  | { readonly ok: true; readonly quote: SwapQuote }
  /** `moved`: it does not come to the limit any more. `unavailable`: nothing is known now; ask again. */
  | { readonly ok: false; readonly why: 'moved' | 'unavailable'; readonly message: string };

/** Who a swap is made for. */
export interface SwapParties {
  /** Makes the calls, and holds the input. */
  readonly payer: string;
  readonly recipient: string;
  /**
   * Smallest unit: for an exact input the least that may come out, for an exact output the most that may go in. Enforced by the
   * chain.
   */
  readonly limit: bigint;
}

/** Swaps on one chain. Expected refusals are values. */
export interface LiquiditySource {
  /** As `GET /swap-sources` names it, and as quotes include and exclude it. */
  readonly id: string;
  supports(chainId: ChainId): boolean;
  /**
   * A promise only where something outside has to be asked.
   *
   * @param isPaid the swap is for an order that was paid. A source that is asked only so often keeps room for these, whatever is
   *   asked for quotes.
   */
  quote(wish: SwapWish, signal: AbortSignal, isPaid?: boolean): SwapAnswer | Promise<SwapAnswer>;
  /**
   * True: nothing that we can read in its calls holds the limit, because somebody else wrote them. They are made only where what
   * came of them is measured on chain, all of it undone below the limit. Absent: its calls hold the limit by themselves.
   */
  readonly isMeasured?: true;
  /**
   * Where it is there, a quote only tells what a swap comes to: its calls have to be asked for, once it is known whom they are
   * for. `calls` then takes what this answers, for the same parties, and nothing else. Whoever needs calls builds first:
   *
   *     const built = (await source.build?.(wish, quote, parties, signal)) ?? { ok: true, quote };
   *     if (built.ok) source.calls(wish, built.quote, parties);
   *
   * What was built grows old as quotes do, and is tried on the chain before anything rests on it. Refusals are values, also of an
   * aborted signal; ends in time by itself.
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
   * Calls that make a quoted swap, in order, all of them or none. Whatever they approve is the input that they take, and no
   * approval is left behind. Local work only.
   *
   * @throws for a quote that `build` did not make for these parties, of a source that has to build.
   */
  calls(wish: SwapWish, quote: SwapQuote, parties: SwapParties): readonly DestinationCall[];
}
