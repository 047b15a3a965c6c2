import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';

/** What describes, reconciles and prunes: work that belongs to no chain. */
export const SERVICE_SCOPE = 'service';

/** What watches a chain and collects there. */
export function scopeOfChain(chainId: ChainId): string {
  return `chain:${chainId}`;
}

/** What signs, sends and tracks on a lane. */
export function scopeOfLane(chainId: ChainId, signer: string): string {
  return `lane:${chainId}:${signer}`;
}

/** Every lease that a process claims. */
export function scopesOf(chains: Iterable<ChainAdapter>): readonly string[] {
  const scopes = [SERVICE_SCOPE];
  for (const { facts, lanes } of chains) {
    scopes.push(scopeOfChain(facts.id), ...lanes.map(({ signer }) => scopeOfLane(facts.id, signer)));
  }
  return scopes;
}
