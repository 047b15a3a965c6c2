import type { Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import type { RpcBlock, RpcReceipt } from '../rpc/types.js';
import { quantity } from '../rpc/types.js';
import { isTooMuch } from './too-much.js';
import { ViewMoved } from './view-moved.js';

const RECEIPTS_PER_READ = 16;

export interface NamedBlock {
  readonly number: number;
  readonly hash: Hex;
}

/**
 * Receipts of exactly this block. Providers cannot cap a single receipt, so this works for blocks with more logs than
 * a log query returns.
 *
 * @throws ViewMoved when the provider does not have the block, or has another one at that height.
 */
export async function receiptsOf(provider: Provider, block: NamedBlock): Promise<readonly RpcReceipt[]> {
  const { rpc } = provider;
  const found = await rpc.request<(RpcBlock & { readonly transactions: readonly Hex[] }) | null>('eth_getBlockByHash', [
    block.hash,
    false,
  ]);
  if (found === null) throw new ViewMoved(`block ${block.number} is not there any more`);
  const whole = await wholeBlock(provider, block);
  if (whole?.length === found.transactions.length && whole.every(({ blockHash }) => blockHash === block.hash))
    return whole;
  const receipts: RpcReceipt[] = [];
  for (let from = 0; from < found.transactions.length; from += RECEIPTS_PER_READ) {
    const some = found.transactions.slice(from, from + RECEIPTS_PER_READ);
    receipts.push(...(await Promise.all(some.map((hash) => receiptIn(provider, block, hash)))));
  }
  return receipts;
}

/** Undefined without such a method, or if the block is too large for one response. */
async function wholeBlock({ rpc }: Provider, { number }: NamedBlock): Promise<readonly RpcReceipt[] | undefined> {
  try {
    const receipts = await rpc.request<readonly RpcReceipt[] | null>('eth_getBlockReceipts', [quantity(number)]);
    return receipts ?? undefined;
  } catch (error) {
    if (error instanceof RpcError || isTooMuch(error)) return undefined;
    throw error;
  }
}

async function receiptIn({ rpc }: Provider, block: NamedBlock, hash: Hex): Promise<RpcReceipt> {
  const receipt = await rpc.request<RpcReceipt | null>('eth_getTransactionReceipt', [hash]);
  if (receipt?.blockHash !== block.hash) throw new ViewMoved(`${hash} is not in block ${block.number} any more`);
  return receipt;
}
