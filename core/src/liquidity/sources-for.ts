import type { ChainId } from '../contract/ids.js';
import type { LiquiditySource } from '../contract/liquidity.js';
import type { SwapRules } from '../domain/swap-out.js';

/**
 * The sources of a chain that these rules leave. Ids are compared in any letter case.
 *
 * @param measured whether a contract of ours measures what comes of the swap; without that, some sources are not to be used.
 */
export function sourcesFor(
  sources: readonly LiquiditySource[],
  chainId: ChainId,
  { included, excluded = [] }: SwapRules,
  measured: boolean,
): readonly LiquiditySource[] {
  return sources.filter((source) => {
    if (source.isMeasured && !measured) return false;
    const id = source.id.toLowerCase();
    return source.supports(chainId) && !excluded.includes(id) && (included === undefined || included.includes(id));
  });
}
