import type { Currency } from '../contract/currency.js';
import type { UnixMs } from '../contract/ids.js';

export interface PriceBook {
  price(
    currency: Currency,
  ):
    | { readonly ok: true; readonly usd: string; readonly at: UnixMs }
    | { readonly ok: false; readonly why: 'unknown' | 'stale' };
}
