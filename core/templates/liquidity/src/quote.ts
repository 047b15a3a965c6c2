import { NotWrittenError, type SwapAnswer, type SwapWish } from '@causeway/core';

/**
 * What a swap comes to, from what is known of the newest block: the best first, none better in both amount and work than another. The
 * side that the wish fixes stays as wished. Any amount gets a value, also 0 and what no pool has. Refusals are values: `noRoute` where
 * nothing leads from one to the other, `tooMuch` where what lies on the way has not so much, `unavailable` where nothing is known now.
 * Make it a promise only where somebody outside has to be asked; then it ends in time, and when `signal` aborts.
 */
export function quoteOf(_wish: SwapWish, _signal: AbortSignal): SwapAnswer {
  throw new NotWrittenError('quote: what a swap comes to, the best way first', 'src/quote.ts');
}
