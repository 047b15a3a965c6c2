import type { Currency } from '../contract/currency.js';
import type { UnixMs } from '../contract/ids.js';

/** Prices from memory; the first source that knows a currency answers. */
export interface PriceBook {
  price(
    currency: Currency,
  ):
    | { readonly ok: true; readonly usd: string; readonly at: UnixMs }
    | { readonly ok: false; readonly why: 'unknown' | 'stale' };
}
