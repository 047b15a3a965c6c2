import type { Hex, KeySpender, OrderId } from '@causeway/core';
import { type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import type { ChainConfig } from './chain-config.js';
import { SWEEP_FAILED, SWEPT } from './deposit-addresses/swept.js';
import { filledOrders, PAYOUTS } from './effects.js';
import { finalizedBlock } from './finality.js';
import { logsBackwards } from './logs/range-logs.js';
import { Spans } from './logs/spans.js';
import { ViewMoved } from './logs/view-moved.js';
import type { RpcBlock, RpcReceipt, RpcTransaction } from './rpc/types.js';
import { quantity } from './rpc/types.js';
import { keyOf, nonceOf } from './submitter.js';

type FullBlock = RpcBlock & { readonly transactions: readonly RpcTransaction[] };

export function keysBetween(signer: string, ledger: string, chain: string): readonly string[] {
  const keys: string[] = [];
  for (let nonce = BigInt(ledger); nonce < BigInt(chain); nonce += 1n) keys.push(keyOf(signer, nonce.toString()));
  return keys;
}

/**
 * A binary search over the signer's count, which only grows, finds the block. If the node has pruned that state, the
 * contracts' events lead to it; a transaction without events cannot be found then.
 */
export function spenderOf(
  config: ChainConfig,
  providers: Providers,
  key: string,
  signer: string,
): Promise<KeySpender | undefined> {
  return providers.run(async (provider) => {
    try {
      return await search(config, provider, nonceOf(key), signer);
    } catch (error) {
      if (error instanceof RpcError || error instanceof ViewMoved) return undefined;
      throw error;
    }
  });
}

async function search(
  config: ChainConfig,
  provider: Provider,
  nonce: bigint,
  signer: string,
): Promise<KeySpender | undefined> {
  const head = Number(await provider.rpc.request<Hex>('eth_blockNumber'));
  const finalized = await finalizedBlock(provider, config.finality, head);
  const height = await firstAfter(provider, nonce, signer, head);
  const place =
    height === 'forgotten'
      ? await placeByEvents(config, provider, nonce, signer, head)
      : placeOf(await spendIn(provider, nonce, signer, height));
  if (place === undefined) return undefined;
  const { hash, blockHash } = place;
  const receipt = await provider.rpc.request<RpcReceipt | null>('eth_getTransactionReceipt', [hash]);
  if (receipt === null || receipt.blockHash !== blockHash) return undefined;
  const filled: readonly OrderId[] = BigInt(receipt.status) === 1n ? filledOrders(config, receipt) : [];
  return { hash, final: Number(receipt.blockNumber) <= finalized.height, filled };
}

/** If the receipt names another block, a reorg happened meanwhile. */
interface Place {
  readonly hash: Hex;
  readonly blockHash: Hex;
}

function placeOf(spend: Spend | undefined): Place | undefined {
  return spend && { hash: spend.transaction.hash, blockHash: spend.block.hash };
}

export interface Spend {
  readonly transaction: RpcTransaction;
  readonly block: RpcBlock;
}

/** From one provider, up to `head`. Undefined if there is none or the provider has pruned that state. */
export async function spendOf(
  provider: Provider,
  nonce: bigint,
  signer: string,
  head: number,
): Promise<Spend | undefined> {
  const height = await firstAfter(provider, nonce, signer, head);
  return height === 'forgotten' ? undefined : spendIn(provider, nonce, signer, height);
}

async function spendIn(
  provider: Provider,
  nonce: bigint,
  signer: string,
  height: number | undefined,
): Promise<Spend | undefined> {
  if (height === undefined) return undefined;
  const block = await provider.rpc.request<FullBlock | null>('eth_getBlockByNumber', [quantity(height), true]);
  if (block === null) return undefined;
  const transaction = block.transactions.find(
    ({ from, nonce: used }) => from.toLowerCase() === signer && BigInt(used) === nonce,
  );
  return transaction === undefined ? undefined : { transaction, block };
}

async function firstAfter(
  provider: Provider,
  nonce: bigint,
  signer: string,
  head: number,
): Promise<number | 'forgotten' | undefined> {
  const counted = async (height: number): Promise<bigint> =>
    BigInt(await provider.rpc.request<Hex>('eth_getTransactionCount', [signer, quantity(height)]));
  if ((await counted(head)) <= nonce) return undefined;
  const passed = async (height: number): Promise<boolean | 'forgotten'> => {
    if (height < 0) return false;
    try {
      return (await counted(height)) > nonce;
    } catch (error) {
      // Then the state of all lower blocks is pruned as well.
      if (error instanceof RpcError) return 'forgotten';
      throw error;
    }
  };
  // Steps grow: most searched transactions are recent, and old state is expensive or pruned.
  let after = head;
  let before = head - 1;
  let below = await passed(before);
  for (let step = 2; below === true; step *= 2) {
    after = before;
    before = Math.max(-1, before - step);
    below = await passed(before);
  }
  while (after - before > 1) {
    const middle = before + Math.floor((after - before) / 2);
    const there = await passed(middle);
    if (there === true) after = middle;
    else {
      before = middle;
      below = there;
    }
  }
  return below === 'forgotten' ? 'forgotten' : after;
}

const MAX_RANGES = 50;

/** Newest first: a payout of this signer with a lower nonce means that the searched transaction emitted none. */
async function placeByEvents(
  config: ChainConfig,
  provider: Provider,
  nonce: bigint,
  signer: string,
  head: number,
): Promise<Place | undefined> {
  const { maxRange } = config.watch;
  const floor = Math.max(0, head - MAX_RANGES * maxRange + 1);
  const { router, depository, depositAddresses } = config;
  const address = [router, depository, ...(depositAddresses === undefined ? [] : [depositAddresses])];
  const filter = { address, topics: [[...PAYOUTS, SWEPT, SWEEP_FAILED]] };
  for await (const logs of logsBackwards(provider, new Spans(maxRange), filter, head, floor)) {
    const places = new Map(logs.map(({ transactionHash, blockHash }) => [transactionHash, blockHash]));
    for (const [hash, blockHash] of [...places].reverse()) {
      const sent = await provider.rpc.request<RpcTransaction | null>('eth_getTransactionByHash', [hash]);
      if (sent === null || sent.from.toLowerCase() !== signer || BigInt(sent.nonce) > nonce) continue;
      return BigInt(sent.nonce) === nonce ? { hash, blockHash } : undefined;
    }
  }
  return undefined;
}
