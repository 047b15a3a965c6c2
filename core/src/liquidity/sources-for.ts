import type { ChainId } from '../contract/ids.js';
import type { LiquiditySource } from '../contract/liquidity.js';
import type { SwapRules } from '../domain/swap-out.js';

/**
 * The sources of a chain that these rules allow. Ids are compared case-insensitively.
 *
 * @param measured whether a contract of the service measures the swap's output; some sources require that.
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
