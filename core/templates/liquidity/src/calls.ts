import { type DestinationCall, NotWrittenError, type SwapParties, type SwapQuote, type SwapWish } from '@causeway/core';

/**
 * Returns the calls that execute a quoted swap, in order; a fill executes all or none. No I/O. The calls approve exactly the input,
 * leave no approval behind, and revert if `parties.limit` is not met.
 */
export function callsOf(_wish: SwapWish, _quote: SwapQuote, _parties: SwapParties): readonly DestinationCall[] {
  throw new NotWrittenError('calls: return the calls that execute a quoted swap within its limit', 'src/calls.ts');
}
