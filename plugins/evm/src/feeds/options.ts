export interface FeedsOptions {
  readonly pollMs: number;
  readonly maxAgeMs: number;
  readonly rpcProviders: number;
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
  /** Quote asset, when not USD. */
  readonly in?: string;
  readonly address: string;
  readonly heartbeatMs: number;
  /** Expected `description()`. */
  readonly description?: string;
  /** Decimal text; an answer at or below it is rejected. */
  readonly min?: string;
  /** Decimal text; an answer at or above it is rejected. */
  readonly max?: string;
}

export interface ChainFeedsOptions {
  readonly aggregators: readonly AggregatorOptions[];
  readonly sequencer?: { readonly address: string; readonly graceMs?: number };
}
