import type { Currency } from '../contract/currency.js';
import type { UnixMs } from '../contract/ids.js';

/** A price with where it came from. USD per whole unit. */
export interface SourcedPrice {
  /** Id of the price source. */
  readonly source: string;
  readonly usd: string;
  readonly at: UnixMs;
}

export interface PriceBook {
  price(
    currency: Currency,
  ):
    | { readonly ok: true; readonly usd: string; readonly at: UnixMs; readonly source?: string }
    | { readonly ok: false; readonly why: 'unknown' | 'stale' };
}
