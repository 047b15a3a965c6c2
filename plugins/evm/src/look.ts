import type { BlockRef, Hex, KeyEvidence, KeyView, LegEffect, LegInstruction } from '@causeway/core';
import { type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import type { MoneyLeg } from './calls.js';
import type { ChainConfig } from './chain-config.js';
import { legEffects } from './effects.js';
import { explainRevert } from './explain.js';
import { blockRef, finalizedBlock } from './finality.js';
import { callEffect } from './gasless/call-effect.js';
import type { Landed } from './landed.js';
import type { RpcBlock, RpcReceipt, RpcTransaction } from './rpc/types.js';
import { receiptFee } from './rpc/types.js';
import { spendOf } from './spender.js';
import { nonceOf } from './submitter.js';
import type { Heads } from './watch/heads.js';

export interface LookDeps {
  readonly config: ChainConfig;
  readonly providers: Providers;
  readonly feed: Heads;
  readonly landed: Landed;
}

interface View {
  readonly provider: Provider;
  readonly head: number;
  readonly finalized: BlockRef;
  readonly counts: ReadonlyMap<string, bigint>;
  /** By number, each read once, after the first receipt that needs it. */
  readonly blocks: Map<Hex, Promise<RpcBlock | null>>;
}

/**
 * Never throws: errors are `unknown`.
 *
 * Read order: finality, counts, receipts, their blocks. Receipts and finality only grow, so a later read can at worst
 * make an earlier one look old; contradictions are `unknown`.
 */
export async function lookAtKeys(deps: LookDeps, keys: readonly KeyView[]): Promise<readonly KeyEvidence[]> {
  try {
    return await deps.providers.run(async (provider) => {
      const view = await openView(deps, provider, keys);
      if (typeof view === 'string') return keys.map(() => unknown(view));
      return await Promise.all(keys.map((key) => lookAtKey(deps, view, key)));
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return keys.map(() => unknown(why));
  }
}

function unknown(why: string): KeyEvidence {
  return { state: 'unknown', why };
}

async function openView(deps: LookDeps, provider: Provider, keys: readonly KeyView[]): Promise<View | string> {
  const head = Number(await provider.rpc.request<Hex>('eth_blockNumber'));
  const floor = deps.feed.floor();
  if (head < floor) return `${provider.name} lags behind at ${head} of ${floor}`;
  const finalized = await finalizedBlock(provider, deps.config.finality, head);
  const signers = [...new Set(keys.map(({ signer }) => signer))];
  const counts = await Promise.all(signers.map((signer) => countAt(provider, signer, 'latest')));
  return {
    provider,
    head,
    finalized,
    counts: new Map(signers.map((signer, n) => [signer, counts[n] ?? 0n])),
    blocks: new Map(),
  };
}

async function countAt(provider: Provider, signer: string, at: string): Promise<bigint> {
  return BigInt(await provider.rpc.request<Hex>('eth_getTransactionCount', [signer, at]));
}

async function lookAtKey(deps: LookDeps, view: View, key: KeyView): Promise<KeyEvidence> {
  try {
    const nonce = nonceOf(key.key);
    const count = view.counts.get(key.signer);
    if (count === undefined) return unknown('no count');
    if (nonce >= count) return await unspent(view, key);
    const known = await stillLanded(deps, view, key);
    if (known !== undefined) return await spent(deps, view, key, known);
    const receipts = await receiptsOf(view.provider, key);
    const mined = receipts[0];
    if (mined === undefined) return await spentByOther(deps, view, key);
    if (receipts.length > 1) return unknown('two receipts under one nonce');
    return await spent(deps, view, key, mined);
  } catch (error) {
    if (error instanceof RpcError) return unknown(error.message);
    throw error;
  }
}

async function stillLanded({ landed }: LookDeps, view: View, { attempts }: KeyView): Promise<RpcReceipt | undefined> {
  const known = landed.of(
    view.provider,
    attempts.map(({ hash }) => hash),
  );
  if (known === undefined || Number(known.blockNumber) <= view.finalized.height) return undefined;
  const canonical = await canonicalBlock(view, known.blockNumber);
  // guard: evm-canonical-receipt
  return canonical?.hash === known.blockHash ? known : undefined;
}

async function receiptsOf(provider: Provider, key: KeyView): Promise<readonly RpcReceipt[]> {
  const found = await Promise.all(
    key.attempts.map(({ hash }) => provider.rpc.request<RpcReceipt | null>('eth_getTransactionReceipt', [hash])),
  );
  return found.filter((receipt): receipt is RpcReceipt => receipt !== null);
}

async function unspent(view: View, key: KeyView): Promise<KeyEvidence> {
  const found = await Promise.all(
    key.attempts.map(({ hash }) =>
      view.provider.rpc.request<RpcTransaction | null>('eth_getTransactionByHash', [hash]),
    ),
  );
  const held = found.filter((transaction): transaction is RpcTransaction => transaction !== null);
  if (held.some(({ blockHash }) => blockHash !== null)) return unknown('included while being looked at');
  return { state: 'unspent', inPool: held.length > 0 };
}

async function spent(deps: LookDeps, view: View, key: KeyView, receipt: RpcReceipt): Promise<KeyEvidence> {
  const { provider, finalized } = view;
  const canonical = await canonicalBlock(view, receipt.blockNumber);
  if (canonical?.hash !== receipt.blockHash) return unknown('the receipt is of another fork');
  const attempt = key.attempts.find(({ hash }) => hash.toLowerCase() === receipt.transactionHash.toLowerCase());
  if (attempt === undefined) return unknown('a receipt for another hash');
  const block = blockRef(canonical);
  const final = block.height <= finalized.height;
  const ok = BigInt(receipt.status) === 1n;
  const feePaidBy = { pot: 'lane', owner: receipt.from.toLowerCase() } as const;
  const base = { state: 'spent', hash: attempt.hash, ok, block, final, feePaidBy } as const;
  if (ok) {
    if (!final) deps.landed.keep(provider, receipt);
    const effects = await effectsOf(deps, provider, receipt, attempt.legs);
    if (effects === undefined) return unknown('receipt without transaction');
    return { ...base, fee: receiptFee(receipt), effects };
  }
  const transaction = await provider.rpc.request<RpcTransaction | null>('eth_getTransactionByHash', [attempt.hash]);
  if (transaction === null) return unknown('receipt without transaction');
  const effects = attempt.legs.map(({ legId }) => ({ legId, done: false, moved: 0n }));
  const failure = await explainRevert(provider, transaction, receipt, deps.config.errors);
  return { ...base, fee: receiptFee(receipt, transaction), effects, failure };
}

/** A call for others has its transaction to itself. */
async function effectsOf(
  { config }: LookDeps,
  provider: Provider,
  receipt: RpcReceipt,
  legs: readonly LegInstruction[],
): Promise<readonly LegEffect[] | undefined> {
  const [only] = legs;
  if (only?.kind === 'call') {
    const effect = await callEffect(provider, receipt, only);
    return effect && [effect];
  }
  return legEffects(
    config,
    receipt,
    legs.filter((leg): leg is MoneyLeg => leg.kind !== 'call'),
  );
}

function canonicalBlock({ provider, blocks }: View, number: Hex): Promise<RpcBlock | null> {
  const known = blocks.get(number);
  if (known !== undefined) return known;
  const block = provider.rpc.request<RpcBlock | null>('eth_getBlockByNumber', [number, false]);
  blocks.set(number, block);
  return block;
}

/**
 * The nonce is spent without a receipt at this provider. That proves nothing (G7): it may have pruned it, be
 * indexing, or be wrong. Another provider's receipt counts if its block is on this chain; otherwise the spending
 * transaction must be shown and be foreign.
 */
async function spentByOther(deps: LookDeps, view: View, key: KeyView): Promise<KeyEvidence> {
  for (const provider of deps.providers.usable()) {
    const [receipt, second] = await receiptsOf(provider, key);
    if (second !== undefined) return unknown('two receipts under one nonce');
    if (receipt !== undefined) return spent(deps, view, key, receipt);
  }
  const found = await spendOf(view.provider, nonceOf(key.key), key.signer, view.head);
  if (found === undefined) return unknown('nothing shows what spent the nonce');
  const ours = key.attempts.some(({ hash }) => hash.toLowerCase() === found.transaction.hash.toLowerCase());
  if (ours) return unknown('included without a receipt');
  return {
    state: 'spentByOther',
    final: /* guard: evm-finality */ Number(found.block.number) <= view.finalized.height,
  };
}
