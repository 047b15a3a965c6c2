import type { HttpClient, Identity } from '@causeway/core/rpc';

/**
 * A provider serves this chain if its first block is the configured one. Without a configured one, whoever answers for a
 * chain of this family is believed: the first blocks of local chains are all alike.
 */
export async function identify(rpc: HttpClient, genesisHash: string | undefined): Promise<Identity> {
  const answered = await rpc.request<string>('getGenesisHash');
  if (genesisHash === undefined || answered === genesisHash) return { is: 'right' };
  return { is: 'foreign', reason: `serves the chain that begins with ${answered} instead of ${genesisHash}` };
}
