import { type Clock, NotWrittenError, type PriceSource } from '@causeway/core';
import type { Feed } from './feed.js';
import type { Options } from './options.js';

/**
 * Synchronous, from the cache, because quotes wait for it. Returns:
 *
 * - `undefined`: this source does not know the currency; the next source is asked.
 * - `'stale'`: it knows the currency, but its newest price is older than `staleAfterMs`.
 * - otherwise the price with its time.
 *
 * Identify currencies by group or by chain and address, never by symbol: a fake token can copy the symbol of another.
 */
export function priceSource(id: string, _options: Options, _feed: Feed, _clock: Clock): PriceSource {
  return {
    id,
    price: (_currency) => {
      throw new NotWrittenError(
        'price: find the name of the currency in options.names, and return its cached price, or stale if that is too old',
        'src/source.ts',
      );
    },
  };
}
