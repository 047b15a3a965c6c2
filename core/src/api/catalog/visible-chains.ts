import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import { type ApiError, apiError } from '../../errors/api-error.js';
import { grantedChains } from '../keys.js';
import type { Caller } from '../route.js';

type Chains = ReadonlyMap<ChainId, ChainAdapter>;

export function visibleChains(chains: Chains, { key }: Pick<Caller, 'key'>): readonly ChainAdapter[] {
  const granted = new Set(grantedChains(key).map((uuid) => uuid.toLowerCase()));
  return [...chains.values()].filter(({ facts }) => {
    return facts.private === undefined || granted.has(facts.private.toLowerCase());
  });
}

/** UNSUPPORTED_CHAIN for a chain that is not served, or that is private and not granted to the caller's key. */
export function visibleChain(
  chains: Chains,
  caller: Pick<Caller, 'key'>,
  id: number,
  field = 'chainId',
): ChainAdapter | ApiError {
  const found = visibleChains(chains, caller).find(({ facts }) => facts.id === id);
  return found ?? apiError('UNSUPPORTED_CHAIN', `Chain ${id} is not served`, { field, reason: 'not served' });
}
