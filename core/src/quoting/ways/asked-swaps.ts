import type { SwapRules } from '../../domain/swap-out.js';
import type { QuoteAsk } from '../ask.js';

/** What a body says of swaps. */
export interface AskedSwaps {
  /** Sources of the destination. */
  readonly rules: SwapRules;
  /** Sources of the origin; null: nothing is swapped there (`disableOriginSwaps`). */
  readonly originRules: SwapRules | null;
  /** Nothing else will do (`useExternalLiquidity`). */
  readonly only: boolean;
  readonly fallback: boolean;
  readonly exact: boolean;
  /** However much the pools take (`overridePriceImpact`). */
  readonly anyImpact: boolean;
}

export function askedSwaps(ask: QuoteAsk): AskedSwaps {
  const rulesOf = (included: readonly string[] | undefined): SwapRules => ({
    ...(included === undefined ? {} : { included }),
    ...(excluded === undefined ? {} : { excluded }),
    ...(hops === 0 ? {} : { maxHops: hops }),
  });
  const excluded = names(ask.excludedSwapSources);
  const hops = ask.maxRouteLength ?? 0;
  return {
    rules: rulesOf(both(ask.includedSwapSources, ask.includedDestinationSwapSources)),
    originRules: ask.disableOriginSwaps ? null : rulesOf(both(ask.includedSwapSources, ask.includedOriginSwapSources)),
    only: ask.useExternalLiquidity === true,
    fallback: ask.useFallbacks === true,
    exact: ask.enableTrueExactOutput === true,
    anyImpact: ask.overridePriceImpact === true,
  };
}

/** Empty lists restrict nothing. */
function names(list: readonly string[] | undefined): readonly string[] | undefined {
  return list === undefined || list.length === 0 ? undefined : [...new Set(list.map((name) => name.toLowerCase()))];
}

function both(one: readonly string[] | undefined, other: readonly string[] | undefined): readonly string[] | undefined {
  const [a, b] = [names(one), names(other)];
  return a !== undefined && b !== undefined ? a.filter((name) => b.includes(name)) : (a ?? b);
}
