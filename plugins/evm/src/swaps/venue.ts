import type { DestinationCall, SwapAnswer, SwapParties, SwapQuote, SwapWish } from '@causeway/core';

export interface Venue {
  quote(wish: SwapWish): SwapAnswer;
  calls(wish: SwapWish, quote: SwapQuote, parties: SwapParties): readonly DestinationCall[];
}
