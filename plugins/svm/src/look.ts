import type { KeyEvidence, KeyView } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { feeOf, legEffect } from './effects.js';
import { explainFailure } from './explain.js';
import { keptLife, oldestBlock } from './history-kept.js';
import { readKey } from './keys.js';
import { type Solver, solverAs } from './transactions/build.js';
import type { IncludedTransactions } from './transactions/included.js';
import { PrunedError } from './unbroken-history.js';
import { finalHeight, finalView } from './view.js';
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

const MAX_STATUSES_PER_CALL = 256;

/**
 * One answer per key. Never throws: errors are `unknown`.
 *
 * Invariant (G1, G7): a message was included if a node has its status. That it never will be needs proof from every
 * provider in use: its final block is above the last valid height, a later answer has no status, and it still has all
 * blocks that could hold the message. A provider that lags, lacks a block or does not answer proves nothing.
 */
export async function lookAtKeys(deps: LookDeps, keys: readonly KeyView[]): Promise<readonly KeyEvidence[]> {
  try {
    return await deps.providers.run(async (provider) => {
      const slot = await provider.rpc.request<number>('getSlot', [{ commitment: 'confirmed' }]);
      const floor = deps.feed.floor();
      if (slot < floor) return keys.map(() => unknown(`${provider.name} lags behind at ${slot} of ${floor}`));
      const { statuses } = await statusesOf(provider, keys.flatMap(hashesOf));
      const absent = keys.filter((key) => !hashesOf(key).some((hash) => statuses.has(hash)));
      const fates = absent.length === 0 ? new Map<KeyView, KeyEvidence>() : await fatesOf(deps, provider, absent);
      return Promise.all(keys.map((key) => fates.get(key) ?? landed(deps, provider, key, statuses)));
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

async function statusesOf(
  { rpc }: Provider,
  signatures: readonly string[],
): Promise<{ readonly statuses: ReadonlyMap<string, RawStatus>; readonly slot: number }> {
  const statuses = new Map<string, RawStatus>();
  let slot = Number.POSITIVE_INFINITY;
  for (let from = 0; from < signatures.length; from += MAX_STATUSES_PER_CALL) {
    const some = signatures.slice(from, from + MAX_STATUSES_PER_CALL);
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

async function landed(
  deps: LookDeps,
  provider: Provider,
  { attempts, signer }: KeyView,
  statuses: ReadonlyMap<string, RawStatus>,
): Promise<KeyEvidence> {
  const taken = attempts.find(({ hash }) => statuses.has(hash));
  const status = taken && statuses.get(taken.hash);
  if (!taken || !status) return unknown('no status');
  // A merely processed transaction may be on an abandoned fork.
  if (status.confirmationStatus === 'processed') return { state: 'unspent', inPool: true };
  try {
    return await spent({ ...deps, solver: solverAs(deps.solver, signer) }, provider, taken, status);
  } catch (error) {
    if (error instanceof RpcError) return unknown(error.message);
    throw error;
  }
}

/** Messages without a status may still land, or never will. */
async function fatesOf(
  deps: LookDeps,
  { rpc }: Provider,
  keys: readonly KeyView[],
): Promise<ReadonlyMap<KeyView, KeyEvidence>> {
  try {
    const height = await finalHeight(rpc);
    const past = keys.filter(({ key }) => height > readKey(key).lastValidHeight);
    const fates = new Map<KeyView, KeyEvidence>(keys.map((key) => [key, { state: 'unspent', inPool: false }]));
    for (const [n, fate] of (await ranOut(deps, past)).entries()) fates.set(past[n] as KeyView, fate);
    return fates;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return new Map(keys.map((key) => [key, unknown(error.message)]));
  }
}

/** Messages without a status, past their last valid height. */
async function ranOut(deps: LookDeps, keys: readonly KeyView[]): Promise<readonly KeyEvidence[]> {
  if (keys.length === 0) return [];
  const answers = await Promise.all(deps.providers.usable().map((each) => doubtsOf(deps, each, keys)));
  return keys.map((_, n) => {
    const doubt = answers.map((doubts) => doubts[n]).find((each) => each !== undefined);
    return doubt === undefined ? { state: 'spentByOther', final: true } : unknown(doubt);
  });
}

/** Why a provider does not prove that a message never lands; undefined where it does. */
async function doubtsOf(
  { providers, feed }: LookDeps,
  provider: Provider,
  keys: readonly KeyView[],
): Promise<readonly (string | undefined)[]> {
  const { name } = provider;
  const why = (error: unknown): string => {
    if (isTransportError(error)) providers.failed(provider, error);
    else if (!(error instanceof RpcError) && !(error instanceof PrunedError)) throw error;
    return `${name}: ${error.message}`;
  };
  try {
    // In this order each answer covers the next ones, whichever node answers.
    const { block, height } = await finalView(provider);
    const least = Math.max(block.slot, feed.floor());
    const gaps = async (): Promise<ReadonlyMap<KeyView, string>> => {
      const oldest = await oldestBlock(provider.rpc);
      const found = new Map<KeyView, string>();
      // In sequence: most of one proof is cached from the previous one.
      for (const key of keys) {
        const { lastValidHeight } = readKey(key.key);
        if (height <= lastValidHeight) continue;
        await keptLife(provider.rpc, lastValidHeight, block, oldest).catch((error) => found.set(key, why(error)));
      }
      return found;
    };
    const before = await gaps();
    const { statuses, slot } = await statusesOf(provider, keys.flatMap(hashesOf));
    const after = await gaps();
    return keys.map((key) => {
      const { lastValidHeight } = readKey(key.key);
      if (height <= lastValidHeight) return `${name} is at final height ${height} of ${lastValidHeight}`;
      if (slot < least) return `${name} answered from slot ${slot}, before ${least}`;
      if (hashesOf(key).some((hash) => statuses.has(hash))) return `${name} has a status that others lack`;
      // guard: svm-whole-history
      return before.get(key) ?? after.get(key);
    });
  } catch (error) {
    const failure = why(error);
    return keys.map(() => failure);
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
  const { ok, payer } = transaction;
  const feePaidBy = { pot: payer === solver.vault ? 'depository' : 'lane', owner: payer } as const;
  const reported = { state: 'spent', hash: attempt.hash, ok, block, final, feePaidBy, effects } as const;
  const fee = feeOf(solver, transaction);
  return ok ? { ...reported, fee } : { ...reported, fee, failure: explainFailure(transaction) };
}
