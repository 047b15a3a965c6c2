import type { Currency } from './currency.js';
import type { UnixMs } from './ids.js';

/** USD price of one whole unit as exact decimal text, e.g. `"3021.57"`, with its age. */
export interface UsdPrice {
  readonly usd: string;
  readonly at: UnixMs;
}

/**
 * USD prices from memory, without I/O. `undefined`: the currency is unknown to this source. A price beyond the
 * source's maximum age is `stale`, never fresh.
 */
export interface PriceSource {
  readonly id: string;
  price(currency: Currency): UsdPrice | 'stale' | undefined;
}
