import type { DestinationCall, SwapAnswer, SwapParties, SwapQuote, SwapWish } from '@causeway/core';

/** One place to swap at on one chain. Answers from memory. */
export interface Venue {
  quote(wish: SwapWish): SwapAnswer;
  calls(wish: SwapWish, quote: SwapQuote, parties: SwapParties): readonly DestinationCall[];
}
