import type { CurrencyOptions, EvmChainOptions, EvmOptions } from '../options.js';
import { type TokenSpec, WRAPPED } from './tokens.js';

/** Currencies with `address: devnet` are deployed. */
export type LocalChainOptions = EvmChainOptions & { readonly rpc: 'devnet' };

export function localChains(options: unknown): readonly LocalChainOptions[] {
  return (options as EvmOptions).chains.filter((chain): chain is LocalChainOptions => chain.rpc === 'devnet');
}

export function deployedCurrencies(chain: LocalChainOptions): readonly (CurrencyOptions & TokenSpec)[] {
  return (chain.currencies ?? []).filter((currency) => currency.address === 'devnet');
}

/** True if pools or a wrapped native coin, that is third-party contracts, are needed. */
export function asksForVenues(chain: LocalChainOptions): boolean {
  const { contracts, swaps } = chain;
  const named = [contracts?.wrappedNative, ...[swaps?.uniswapV2, swaps?.uniswapV3].flatMap(addressesOf)];
  return named.includes('devnet') || deployedCurrencies(chain).some(({ symbol }) => symbol === WRAPPED);
}

function addressesOf(venue: { readonly factory: string; readonly router: string } | undefined): readonly string[] {
  return venue === undefined ? [] : [venue.factory, venue.router];
}
