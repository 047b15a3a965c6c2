import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';

/** Describe, reconcile, prune. */
export const SERVICE_SCOPE = 'service';

/** Watch and collect. */
export function scopeOfChain(chainId: ChainId): string {
  return `chain:${chainId}`;
}

/** Sign, send and track. */
export function scopeOfLane(chainId: ChainId, signer: string): string {
  return `lane:${chainId}:${signer}`;
}

export function scopesOf(chains: Iterable<ChainAdapter>): readonly string[] {
  const scopes = [SERVICE_SCOPE];
  for (const { facts, lanes } of chains) {
    scopes.push(scopeOfChain(facts.id), ...lanes.map(({ signer }) => scopeOfLane(facts.id, signer)));
  }
  return scopes;
}
