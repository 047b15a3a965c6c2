import type { SwapRules } from '../../domain/swap-out.js';
import type { QuoteAsk } from '../ask.js';

export interface AskedSwaps {
  readonly rules: SwapRules;
  /** Sources of the origin; null: no swap there (`disableOriginSwaps`). */
  readonly originRules: SwapRules | null;
  /** Requires a swap (`useExternalLiquidity`). */
  readonly only: boolean;
  readonly fallback: boolean;
  readonly exact: boolean;
  /** No limit on price impact (`overridePriceImpact`). */
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

function names(list: readonly string[] | undefined): readonly string[] | undefined {
  return list === undefined || list.length === 0 ? undefined : [...new Set(list.map((name) => name.toLowerCase()))];
}

function both(one: readonly string[] | undefined, other: readonly string[] | undefined): readonly string[] | undefined {
  const [a, b] = [names(one), names(other)];
  return a !== undefined && b !== undefined ? a.filter((name) => b.includes(name)) : (a ?? b);
}
