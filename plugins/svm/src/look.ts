import type { KeyEvidence, KeyView } from '@causeway/core';
import { type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { feeOf, legEffect } from './effects.js';
import { explainFailure } from './explain.js';
import { readKey } from './keys.js';
import type { Solver } from './transactions/build.js';
import { fetchTransaction } from './transactions/fetch.js';
import { readTransaction } from './transactions/read.js';
import { blockAt, type Heads } from './watch/heads.js';

export interface LookDeps {
  readonly solver: Solver;
  readonly providers: Providers;
  readonly feed: Heads;
}

interface RawStatus {
  readonly slot: number;
  readonly err: unknown;
  readonly confirmationStatus?: 'processed' | 'confirmed' | 'finalized' | null;
}

/** Most that a node answers at once. */
const MOST = 256;

/**
 * What the chain proves about messages, one answer per key. Never throws: trouble is `unknown`.
 *
 * A message was taken if a node has a status of it. That it never will be needs two things, in this order: a final block
 * above its last valid height, and after that no status at any provider.
 */
export async function lookAtKeys(deps: LookDeps, keys: readonly KeyView[]): Promise<readonly KeyEvidence[]> {
  try {
    return await deps.providers.run(async (provider) => {
      const [slot, finalHeight] = await Promise.all([
        provider.rpc.request<number>('getSlot', [{ commitment: 'confirmed' }]),
        provider.rpc.request<number>('getBlockHeight', [{ commitment: 'finalized' }]),
      ]);
      const floor = deps.feed.floor();
      if (slot < floor) return keys.map(() => unknown(`${provider.name} lags behind at ${slot} of ${floor}`));
      const statuses = await statusesOf(
        provider,
        keys.flatMap(({ attempts }) => attempts.map(({ hash }) => hash)),
      );
      return Promise.all(keys.map((key) => lookAtKey(deps, provider, key, statuses, finalHeight)));
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return keys.map(() => unknown(why));
  }
}

function unknown(why: string): KeyEvidence {
  return { state: 'unknown', why };
}

/** By signature; absent where the node has none. */
async function statusesOf({ rpc }: Provider, signatures: readonly string[]): Promise<ReadonlyMap<string, RawStatus>> {
  const found = new Map<string, RawStatus>();
  for (let from = 0; from < signatures.length; from += MOST) {
    const some = signatures.slice(from, from + MOST);
    const { value } = await rpc.request<{ readonly value: readonly (RawStatus | null)[] }>('getSignatureStatuses', [
      some,
      { searchTransactionHistory: true },
    ]);
    some.forEach((signature, n) => {
      const status = value[n];
      if (status) found.set(signature, status);
    });
  }
  return found;
}

async function lookAtKey(
  deps: LookDeps,
  provider: Provider,
  key: KeyView,
  statuses: ReadonlyMap<string, RawStatus>,
  finalHeight: number,
): Promise<KeyEvidence> {
  try {
    const taken = key.attempts.find(({ hash }) => statuses.has(hash));
    const status = taken && statuses.get(taken.hash);
    if (taken && status) {
      // What only one node has processed may be of a fork that nobody follows.
      if (status.confirmationStatus === 'processed') return { state: 'unspent', inPool: true };
      return await spent(deps, provider, taken, status.confirmationStatus === 'finalized');
    }
    if (finalHeight <= readKey(key.key).lastValidHeight) return { state: 'unspent', inPool: false };
    const elsewhere = await Promise.all(
      deps.providers
        .usable()
        .filter((other) => other !== provider)
        .map((other) => statusesOf(other, key.attempts.map(({ hash }) => hash))),
    );
    if (elsewhere.some(({ size }) => size > 0)) return unknown('a provider has what others lack');
    return { state: 'spentByOther', final: true };
  } catch (error) {
    if (error instanceof RpcError) return unknown(error.message);
    throw error;
  }
}

async function spent(
  { solver }: LookDeps,
  provider: Provider,
  attempt: KeyView['attempts'][number],
  final: boolean,
): Promise<KeyEvidence> {
  const raw = await fetchTransaction(provider.rpc, attempt.hash);
  if (raw === undefined) return unknown('a status without its transaction');
  const transaction = readTransaction(raw);
  const block = await blockAt(provider, transaction.slot);
  const effects = attempt.legs.map((leg) => legEffect(solver, transaction, leg));
  const told = { state: 'spent', hash: attempt.hash, ok: transaction.ok, block, final, effects } as const;
  const fee = feeOf(transaction);
  return transaction.ok ? { ...told, fee } : { ...told, fee, failure: explainFailure(solver, transaction) };
}
