import type { LiquiditySource } from '@causeway/core';
import { callsOf } from './calls.js';
import type { Options } from './options.js';
import { quoteOf } from './quote.js';

/**
 * Swaps on one chain. Its calls hold their limit by themselves, as those of a pool's contract do. Where somebody else writes the calls,
 * they do not: set `isMeasured`, and ask for them in `build`.
 */
export function liquiditySource(id: string, { chains }: Options): LiquiditySource {
  return {
    id,
    supports: (chainId) => chains.includes(chainId),
    quote: quoteOf,
    calls: callsOf,
  };
}
