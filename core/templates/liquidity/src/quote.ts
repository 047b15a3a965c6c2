import { NotWrittenError, type SwapAnswer, type SwapWish } from '@causeway/core';

/**
 * Quotes a swap from the newest known block. Must return a value for every amount, also for 0 and for more than the pools hold.
 *
 * - `ok: true`: quotes, best first; omit one that another beats in both amount and work. The side that `wish.kind` fixes equals
 *   `wish.amount`. Amounts are in smallest units.
 * - `ok: false`: `noRoute` if no route exists, `tooMuch` if the liquidity on the routes is insufficient, `unavailable` if that is
 *   unknown now.
 *
 * Return a promise only if an external service is queried; it must settle within a time limit and when `signal` aborts.
 */
export function quoteOf(_wish: SwapWish, _signal: AbortSignal): SwapAnswer {
  throw new NotWrittenError('quote: return the results of a swap, best first', 'src/quote.ts');
}
