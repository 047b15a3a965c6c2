import type { HttpClient, Identity } from '@causeway/core/rpc';

/**
 * A provider serves this chain if its genesis hash is the configured hash. Without a configured hash, any SVM provider is
 * believed: genesis hashes do not tell local chains apart.
 */
export async function identify(rpc: HttpClient, genesisHash: string | undefined): Promise<Identity> {
  const answered = await rpc.request<string>('getGenesisHash');
  if (genesisHash === undefined || answered === genesisHash) return { is: 'right' };
  return { is: 'foreign', reason: `serves the chain that begins with ${answered} instead of ${genesisHash}` };
}
