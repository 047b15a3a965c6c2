import type { LocalChainOptions } from './options.js';
import { POOLED, WRAPPED } from './tokens.js';

export function withoutVenues(chain: LocalChainOptions): LocalChainOptions {
  const { contracts, currencies = [], swaps: _, ...rest } = chain;
  return {
    ...rest,
    ...(contracts && {
      contracts: Object.fromEntries(Object.entries(contracts).filter(([, address]) => address !== 'devnet')),
    }),
    currencies: currencies.filter(
      ({ symbol, address }) => address !== 'devnet' || (symbol !== WRAPPED && symbol !== POOLED),
    ),
  };
}
