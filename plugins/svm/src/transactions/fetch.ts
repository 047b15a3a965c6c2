import { type HttpClient, RpcError, TransportError } from '@causeway/core/rpc';
import { type RawTransaction, type ReadTransaction, readTransaction } from './read.js';
import { ofAnyVersion } from './version.js';

/** A confirmed transaction from one node; undefined where it has none. */
export async function fetchTransaction(rpc: HttpClient, signature: string): Promise<RawTransaction | undefined> {
  const options = { encoding: 'json', commitment: 'confirmed' };
  const raw = await ofAnyVersion(rpc, (maxSupportedTransactionVersion) =>
    rpc.request<RawTransaction | null>('getTransaction', [signature, { ...options, maxSupportedTransactionVersion }]),
  );
  return raw ?? undefined;
}

/**
 * A confirmed transaction that exists.
 * @throws TransportError where it is not shown, incomplete, or another one.
 */
export async function fetchShown(rpc: HttpClient, signature: string): Promise<ReadTransaction> {
  const raw = await fetchTransaction(rpc, signature);
  if (raw === undefined) throw new TransportError(`${signature} is not shown`, 'malformed');
  return named(signature, wholeTransaction(raw));
}

/**
 * A listed transaction, in its listed slot.
 *
 * @throws TransportError where it is not shown or incomplete; RpcError where it moved to another slot, or is refused.
 */
export async function fetchListed(
  rpc: HttpClient,
  { signature, slot }: { readonly signature: string; readonly slot: number },
): Promise<ReadTransaction> {
  const raw = await fetchTransaction(rpc, signature);
  if (raw === undefined) throw new TransportError(`${signature} is listed and not shown`, 'malformed');
  // It may move between the two answers; the next list shows it.
  if (raw.slot !== slot) throw new RpcError(`${signature} moved to slot ${raw.slot}`, 0, undefined);
  return named(signature, wholeTransaction(raw));
}

function named(signature: string, read: ReadTransaction): ReadTransaction {
  if (read.signature === signature) return read;
  throw new TransportError(`another transaction is shown for ${signature}`, 'malformed');
}

/** @throws TransportError where the answer is incomplete: another node may have it. */
export function wholeTransaction(raw: RawTransaction): ReadTransaction {
  try {
    return readTransaction(raw);
  } catch (error) {
    throw new TransportError(`a transaction came back malformed: ${String(error)}`, 'malformed');
  }
}
