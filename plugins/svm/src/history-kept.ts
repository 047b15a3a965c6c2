import type { UnixMs } from '@causeway/core';
import { type HttpClient, isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';

/** A node has thrown away what was asked for: what it lacks may have been. */
export class PrunedError extends Error {
  override readonly name = 'PrunedError';
}

/** Nobody has anything in the first slots of a chain; local chains begin at the end of them. */
const BEGINNING = 32;

/** The oldest slot that a node still has a block of. */
async function oldestSlot(rpc: HttpClient): Promise<number> {
  return rpc.request<number>('getFirstAvailableBlock');
}

/** @throws PrunedError unless the node has every block above this slot. */
export async function keptAbove(rpc: HttpClient, slot: number): Promise<void> {
  const oldest = await oldestSlot(rpc);
  if (oldest > Math.max(slot + 1, BEGINNING)) throw new PrunedError(`blocks up to slot ${oldest} are thrown away`);
}

/** @throws PrunedError unless the node has every block since this time. */
export async function keptSince(rpc: HttpClient, since: UnixMs): Promise<void> {
  const oldest = await oldestSlot(rpc);
  if (oldest <= BEGINNING) return;
  const seconds = await rpc.request<number | null>('getBlockTime', [oldest]);
  if (seconds === null || seconds * 1_000 > since) {
    throw new PrunedError(`blocks up to slot ${oldest} are thrown away, which may be later than ${since}`);
  }
}

/** @throws PrunedError unless the node has every block of this block height and above. */
export async function keptFromHeight(rpc: HttpClient, height: number): Promise<void> {
  const oldest = await oldestSlot(rpc);
  if (oldest <= BEGINNING) return;
  const options = { transactionDetails: 'none', rewards: false, encoding: 'json', maxSupportedTransactionVersion: 0 };
  const block = await rpc.request<{ readonly blockHeight: number | null } | null>('getBlock', [oldest, options]);
  const first = block?.blockHeight ?? null;
  if (first === null || first > height) throw new PrunedError(`blocks below height ${first} are thrown away`);
}

/**
 * Asks for what may be long ago: the first provider that answers and still has it. @throws what the last one said.
 */
export async function askHistory<T>(providers: Providers, task: (provider: Provider) => Promise<T>): Promise<T> {
  let last: unknown;
  for (const provider of providers.usable()) {
    try {
      return await task(provider);
    } catch (error) {
      if (isTransportError(error)) providers.failed(provider, error);
      else if (!(error instanceof PrunedError) && !(error instanceof RpcError)) throw error;
      last = error;
    }
  }
  throw last ?? new Error(providers.problem() ?? 'no provider');
}
