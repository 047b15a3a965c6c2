import { type DestinationCall, NotWrittenError, type SwapParties, type SwapQuote, type SwapWish } from '@causeway/core';

/**
 * The calls that make a quoted swap, in order, all of them or none; local work. They approve the input that they take and no more, leave
 * no approval behind, and do nothing where `parties.limit` is not met.
 */
export function callsOf(_wish: SwapWish, _quote: SwapQuote, _parties: SwapParties): readonly DestinationCall[] {
  throw new NotWrittenError('calls: the calls that make a quoted swap within its limit', 'src/calls.ts');
}
