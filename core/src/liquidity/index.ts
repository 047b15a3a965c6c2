export { buildCalls } from './build-calls.js';
export { type FoundSwap, type SwapSearch, searchSwaps } from './search-swaps.js';
export { sourcesFor } from './sources-for.js';
export { swapCalls } from './swap-calls.js';
