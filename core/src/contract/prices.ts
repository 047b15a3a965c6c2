import type { Currency } from './currency.js';
import type { UnixMs } from './ids.js';

/** USD price of one whole unit of a currency as exact decimal text, e.g. `"3021.57"`, with its age. */
export interface UsdPrice {
  readonly usd: string;
  readonly at: UnixMs;
}

/**
 * A source of USD prices. `price` answers from memory (no I/O on the quote path); `undefined` means this
 * source does not know the currency. A price older than the source's own bound is `stale`, never returned as fresh.
 */
export interface PriceSource {
  readonly id: string;
  price(currency: Currency): UsdPrice | 'stale' | undefined;
}
