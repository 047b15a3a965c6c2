import type { CurrencyOptions, EvmChainOptions, EvmOptions } from '../options.js';
import type { TokenSpec } from './tokens.js';

/** A chain whose options say `rpc: devnet`. Currencies with `address: devnet` are deployed. */
export type LocalChainOptions = EvmChainOptions & { readonly rpc: 'devnet' };

export function localChains(options: unknown): readonly LocalChainOptions[] {
  return (options as EvmOptions).chains.filter((chain): chain is LocalChainOptions => chain.rpc === 'devnet');
}

export function deployedCurrencies(chain: LocalChainOptions): readonly (CurrencyOptions & TokenSpec)[] {
  return (chain.currencies ?? []).filter((currency) => currency.address === 'devnet');
}
