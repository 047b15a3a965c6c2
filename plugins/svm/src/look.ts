import type { KeyEvidence, KeyView } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { feeOf, legEffect } from './effects.js';
import { explainFailure } from './explain.js';
import { keptFromHeight, PrunedError } from './history-kept.js';
import { readKey } from './keys.js';
import { VALID_BLOCKS } from './position.js';
import type { Solver } from './transactions/build.js';
import type { IncludedTransactions } from './transactions/included.js';
import type { Heads } from './watch/heads.js';

export interface LookDeps {
  readonly solver: Solver;
  readonly providers: Providers;
  readonly feed: Pick<Heads, 'floor'>;
  readonly included: Pick<IncludedTransactions, 'get'>;
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
 * Invariant (G1, G7): a message was taken if a node has a status of it. That it never will be is said only where every
 * provider in use proves it: its final block is above the last valid height, what it answers after that has no status, and
 * it still has all blocks that the message could have been in. Whoever lags, threw something away or does not answer
 * proves nothing.
 */
export async function lookAtKeys(deps: LookDeps, keys: readonly KeyView[]): Promise<readonly KeyEvidence[]> {
  try {
    return await deps.providers.run(async (provider) => {
      const slot = await provider.rpc.request<number>('getSlot', [{ commitment: 'confirmed' }]);
      const floor = deps.feed.floor();
      if (slot < floor) return keys.map(() => unknown(`${provider.name} lags behind at ${slot} of ${floor}`));
      const { statuses } = await statusesOf(provider, keys.flatMap(hashesOf));
      // Asked once for all of them, after the statuses, and only where one has none.
      let asked: Promise<number> | undefined;
      const finalHeight = () => {
        asked ??= provider.rpc.request<number>('getBlockHeight', [{ commitment: 'finalized' }]);
        return asked;
      };
      return Promise.all(keys.map((key) => lookAtKey(deps, provider, key, { statuses, finalHeight })));
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return keys.map(() => unknown(why));
  }
}

function hashesOf({ attempts }: KeyView): readonly string[] {
  return attempts.map(({ hash }) => hash);
}

function unknown(why: string): KeyEvidence {
  return { state: 'unknown', why };
}

/** By signature, absent where the node has none; and the oldest slot that any of it was answered from. */
async function statusesOf(
  { rpc }: Provider,
  signatures: readonly string[],
): Promise<{ readonly statuses: ReadonlyMap<string, RawStatus>; readonly slot: number }> {
  const statuses = new Map<string, RawStatus>();
  let slot = Number.POSITIVE_INFINITY;
  for (let from = 0; from < signatures.length; from += MOST) {
    const some = signatures.slice(from, from + MOST);
    const { context, value } = await rpc.request<{
      readonly context: { readonly slot: number };
      readonly value: readonly (RawStatus | null)[];
    }>('getSignatureStatuses', [some, { searchTransactionHistory: true }]);
    slot = Math.min(slot, context.slot);
    some.forEach((signature, n) => {
      const status = value[n];
      if (status) statuses.set(signature, status);
    });
  }
  return { statuses, slot };
}

/** What one provider says in one look. */
interface Seen {
  readonly statuses: ReadonlyMap<string, RawStatus>;
  /** Block height of its final block, no older than the statuses. */
  finalHeight(): Promise<number>;
}

async function lookAtKey(
  deps: LookDeps,
  provider: Provider,
  key: KeyView,
  { statuses, finalHeight }: Seen,
): Promise<KeyEvidence> {
  try {
    const taken = key.attempts.find(({ hash }) => statuses.has(hash));
    const status = taken && statuses.get(taken.hash);
    if (taken && status) {
      // What only one node has processed may be of a fork that nobody follows.
      if (status.confirmationStatus === 'processed') return { state: 'unspent', inPool: true };
      return await spent(deps, provider, taken, status);
    }
    return await ranOut(deps, key, await finalHeight());
  } catch (error) {
    if (error instanceof RpcError) return unknown(error.message);
    throw error;
  }
}

/** A message without a status: it may still land, or never will. */
async function ranOut({ providers }: LookDeps, key: KeyView, height: number): Promise<KeyEvidence> {
  if (height <= readKey(key.key).lastValidHeight) return { state: 'unspent', inPool: false };
  const doubts = await Promise.all(providers.usable().map((each) => doubtOf(providers, each, key)));
  const doubt = doubts.find((each) => each !== undefined);
  return doubt === undefined ? { state: 'spentByOther', final: true } : unknown(doubt);
}

/** Why a provider does not prove that a message never landed and never will; undefined where it does. */
async function doubtOf(providers: Providers, provider: Provider, key: KeyView): Promise<string | undefined> {
  const { rpc, name } = provider;
  const { lastValidHeight } = readKey(key.key);
  try {
    // First how far it is, then what it knows, then whether it knows all: in this order each covers what follows.
    const [slot, height] = await Promise.all([
      rpc.request<number>('getSlot', [{ commitment: 'finalized' }]),
      rpc.request<number>('getBlockHeight', [{ commitment: 'finalized' }]),
    ]);
    if (height <= lastValidHeight) return `${name} is at final height ${height} of ${lastValidHeight}`;
    const told = await statusesOf(provider, hashesOf(key));
    // Behind one name there may be nodes of which one lags.
    if (told.slot < slot) return `${name} answered from slot ${told.slot}, before its final one`;
    if (told.statuses.size > 0) return `${name} has a status that others lack`;
    await keptFromHeight(rpc, lastValidHeight - VALID_BLOCKS);
    return undefined;
  } catch (error) {
    if (isTransportError(error)) providers.failed(provider, error);
    else if (!(error instanceof RpcError) && !(error instanceof PrunedError)) throw error;
    return `${name}: ${error.message}`;
  }
}

async function spent(
  { solver, included }: LookDeps,
  provider: Provider,
  attempt: KeyView['attempts'][number],
  { slot, confirmationStatus }: RawStatus,
): Promise<KeyEvidence> {
  const final = confirmationStatus === 'finalized';
  const found = await included.get(provider, attempt.hash, slot, final);
  if (found === undefined) return unknown('a status without its transaction');
  const { transaction, block } = found;
  const effects = attempt.legs.map((leg) => legEffect(solver, transaction, leg));
  const told = { state: 'spent', hash: attempt.hash, ok: transaction.ok, block, final, effects } as const;
  const fee = feeOf(transaction);
  return transaction.ok ? { ...told, fee } : { ...told, fee, failure: explainFailure(solver, transaction) };
}
