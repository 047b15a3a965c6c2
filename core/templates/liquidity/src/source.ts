import type { LiquiditySource } from '@causeway/core';
import { callsOf } from './calls.js';
import type { Options } from './options.js';
import { quoteOf } from './quote.js';

/**
 * Swaps within one chain. The calls enforce their limit, as those of a pool's contract do. If a third party builds the calls, set
 * `isMeasured` and request the calls in `build`.
 */
export function liquiditySource(id: string, { chains }: Options): LiquiditySource {
  return {
    id,
    supports: (chainId) => chains.includes(chainId),
    quote: quoteOf,
    calls: callsOf,
  };
}
