import type { HttpClient } from '@causeway/core/rpc';
import type { RawTransaction } from './read.js';

/** A confirmed transaction as one node shows it; undefined where it has none of that name. */
export async function fetchTransaction(rpc: HttpClient, signature: string): Promise<RawTransaction | undefined> {
  const options = { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
  const raw = await rpc.request<RawTransaction | null>('getTransaction', [signature, options]);
  return raw ?? undefined;
}
