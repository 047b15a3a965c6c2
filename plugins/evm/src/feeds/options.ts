/** How all aggregators of the plugin are read and combined. */
export interface FeedsOptions {
  readonly pollMs: number;
  readonly maxAgeMs: number;
  /** RPC providers that must say the same about a feed. */
  readonly rpcProviders: number;
  /** Aggregators that must agree on a currency. */
  readonly minFeeds: number;
  readonly outlierBps: number;
  readonly jumpBps: number;
  readonly jumpQuorum: number;
  readonly jumpHoldMs: number;
}

export const FEED_DEFAULTS: FeedsOptions = Object.freeze({
  pollMs: 10_000,
  maxAgeMs: 60_000,
  rpcProviders: 1,
  minFeeds: 1,
  outlierBps: 200,
  jumpBps: 1_000,
  jumpQuorum: 2,
  jumpHoldMs: 60_000,
});

export interface AggregatorOptions {
  /** Asset group, or `<chain id>:<currency address>`. */
  readonly prices: string;
  /** The asset that it tells the price in, when not USD. */
  readonly in?: string;
  readonly address: string;
  readonly heartbeatMs: number;
  /** What `description()` must say. */
  readonly description?: string;
  /** Decimal text; an answer at or below it is not believed. */
  readonly min?: string;
  /** Decimal text; an answer at or above it is not believed. */
  readonly max?: string;
}

export interface ChainFeedsOptions {
  readonly aggregators: readonly AggregatorOptions[];
  readonly sequencer?: { readonly address: string; readonly graceMs?: number };
}
