import type { ChainAdapter } from '../contract/chain-adapter.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import type { QuotingDeps } from './quoting-deps.js';

/** SERVICE_UNAVAILABLE if a chain is unhealthy, or what happens on it is not read. From memory. */
export function refuseUnserved(
  chains: readonly (ChainAdapter | undefined)[],
  engine: Pick<QuotingDeps['engine'], 'unserved'>,
): ApiError | undefined {
  for (const chain of chains) {
    if (chain === undefined) continue;
    const { id, displayName } = chain.facts;
    if (!chain.status().healthy || engine.unserved(id) !== null)
      return apiError('SERVICE_UNAVAILABLE', `${displayName} is not available now`, { chainId: id });
  }
  return undefined;
}
