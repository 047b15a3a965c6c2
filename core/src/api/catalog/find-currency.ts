import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import type { ChainId } from '../../contract/ids.js';
import { ApiError, apiError, invalidRequest } from '../../errors/api-error.js';
import type { Caller } from '../route.js';
import { visibleChain } from './visible-chains.js';

export interface FoundCurrency {
  readonly chain: ChainAdapter;
  readonly currency: Currency;
}

/** UNSUPPORTED_CHAIN, INVALID_REQUEST for an `address` invalid on that chain, UNSUPPORTED_CURRENCY. */
export function findCurrency(
  chains: ReadonlyMap<ChainId, ChainAdapter>,
  caller: Pick<Caller, 'key'>,
  chainId: number,
  address: string,
): FoundCurrency | ApiError {
  const chain = visibleChain(chains, caller, chainId);
  if (chain instanceof ApiError) return chain;
  const currency = chain.currency(address);
  if (currency) return { chain, currency };
  const parsed = chain.parseAddress(address);
  if (!parsed.ok) return invalidRequest('address', parsed.reason);
  return apiError('UNSUPPORTED_CURRENCY', `${parsed.value} is not served on ${chain.facts.displayName}`, {
    field: 'address',
    reason: 'not served on this chain',
  });
}
