import type { Hex, KeySpender, OrderId } from '@causeway/core';
import type { ChainConfig } from './chain-config.js';
import { filledOrders } from './effects.js';
import { finalizedBlock } from './finality.js';
import type { Provider, Providers } from './providers.js';
import { RpcError } from './rpc/errors.js';
import type { RpcBlock, RpcReceipt, RpcTransaction } from './rpc/types.js';
import { quantity } from './rpc/types.js';
import { keyOf, nonceOf } from './submitter.js';

type FullBlock = RpcBlock & { readonly transactions: readonly RpcTransaction[] };

/** Nonces from `ledger` on and before `chain`. */
export function keysBetween(signer: string, ledger: string, chain: string): readonly string[] {
  const keys: string[] = [];
  for (let nonce = BigInt(ledger); nonce < BigInt(chain); nonce += 1n) keys.push(keyOf(signer, nonce.toString()));
  return keys;
}

/**
 * The transaction that used a nonce. No node answers that directly: the signer's count, which only grows, leads to the
 * block, and the block has the transaction. A node that has forgotten the state of that time cannot tell.
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
      if (error instanceof RpcError) return undefined;
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
  const spend = await spendOf(provider, nonce, signer, head);
  if (spend === undefined) return undefined;
  const { transaction, block } = spend;
  const receipt = await provider.rpc.request<RpcReceipt | null>('eth_getTransactionReceipt', [transaction.hash]);
  if (receipt === null || receipt.blockHash !== block.hash) return undefined;
  const filled: readonly OrderId[] = BigInt(receipt.status) === 1n ? filledOrders(config, receipt) : [];
  return { hash: transaction.hash, final: Number(block.number) <= finalized.height, filled };
}

/** The transaction of a signer that has this nonce, and its block, as one provider shows them up to `head`. */
export async function spendOf(
  provider: Provider,
  nonce: bigint,
  signer: string,
  head: number,
): Promise<{ readonly transaction: RpcTransaction; readonly block: RpcBlock } | undefined> {
  const height = await firstAfter(provider, nonce, signer, head);
  if (height === undefined) return undefined;
  const block = await provider.rpc.request<FullBlock | null>('eth_getBlockByNumber', [quantity(height), true]);
  if (block === null) return undefined;
  const transaction = block.transactions.find(
    ({ from, nonce: used }) => from.toLowerCase() === signer && BigInt(used) === nonce,
  );
  return transaction === undefined ? undefined : { transaction, block };
}

/** The first block after which the signer's count is past the nonce; undefined when there is none yet. */
async function firstAfter(
  provider: Provider,
  nonce: bigint,
  signer: string,
  head: number,
): Promise<number | undefined> {
  const passed = async (height: number): Promise<boolean> =>
    height >= 0 &&
    BigInt(await provider.rpc.request<Hex>('eth_getTransactionCount', [signer, quantity(height)])) > nonce;
  if (!(await passed(head))) return undefined;
  // Backwards in growing steps: most such transactions are recent, and old state is dear or gone.
  let after = head;
  let before = head - 1;
  for (let step = 2; await passed(before); step *= 2) {
    after = before;
    before = Math.max(-1, before - step);
  }
  while (after - before > 1) {
    const middle = before + Math.floor((after - before) / 2);
    if (await passed(middle)) after = middle;
    else before = middle;
  }
  return after;
}
