import type { HttpClient, Identity } from '@causeway/core/rpc';

/**
 * Compares the genesis hash. Without a configured hash any SVM provider passes: genesis hashes do not distinguish
 * local chains.
 */
export async function identify(rpc: HttpClient, genesisHash: string | undefined): Promise<Identity> {
  const answered = await rpc.request<string>('getGenesisHash');
  if (genesisHash === undefined || answered === genesisHash) return { is: 'right' };
  return { is: 'foreign', reason: `serves the chain that begins with ${answered} instead of ${genesisHash}` };
}
