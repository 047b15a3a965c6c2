import type { Hex } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { NATIVE } from '../../addresses.js';
import { blockRef } from '../../finality.js';
import { receiptsOf } from '../../logs/block-receipts.js';
import { ViewMoved } from '../../logs/view-moved.js';
import type { RpcBlock, RpcReceipt, RpcTransaction } from '../../rpc/types.js';
import type { Head } from '../heads.js';
import { accountKey, type Shown } from './shown.js';

type FullBlock = RpcBlock & { readonly transactions: readonly RpcTransaction[] };

/** Newest blocks whose transactions are searched for addresses that were read long ago or never. */
export const SEEN_BLOCKS = 8;
/** Blocks that are searched for addresses that were read after the oldest of them: those of a few stalled heads. */
export const CATCH_UP_BLOCKS = 64;
/** Above it, all receipts of a block are read at once. */
const MAX_SINGLE_RECEIPTS = 8;

/**
 * Direct native payments by transactions to these addresses after block `from`, in at most `CATCH_UP_BLOCKS` blocks, by
 * account, oldest first. Payments by contracts show only in balances.
 *
 * @throws ViewMoved when the provider is on another fork.
 */
export async function coinPayments(
  addresses: { has(address: string): boolean },
  { from, head }: { readonly from: number; readonly head: Head },
): Promise<ReadonlyMap<string, readonly Shown[]>> {
  const { provider, height } = head;
  const shown = new Map<string, Shown[]>();
  const least = Math.max(from, height - CATCH_UP_BLOCKS, -1);
  // Newest first: each block names its parent.
  let wanted = head.id;
  for (let n = height; n > least; n -= 1) {
    const block = await provider.rpc.request<FullBlock | null>('eth_getBlockByHash', [wanted, true]);
    if (block === null) throw new ViewMoved(`block ${n} is not there any more`);
    wanted = block.parentHash;
    const paying = block.transactions.filter(
      ({ to, value }) => to !== null && addresses.has(to.toLowerCase()) && BigInt(value) > 0n,
    );
    const paid = await successful(provider, block, paying);
    for (const { hash, from: payer, to, value } of paying.reverse()) {
      if (!paid.has(hash)) continue;
      const key = accountKey({ address: (to as Hex).toLowerCase(), currency: NATIVE });
      const own = shown.get(key) ?? [];
      const [transactionHash, depositor] = [hash.toLowerCase(), payer.toLowerCase()];
      own.push({ amount: BigInt(value), transactionHash, depositor, block: blockRef(block) });
      shown.set(key, own);
    }
  }
  for (const own of shown.values()) own.reverse();
  return shown;
}

/** A transaction with value may fail once its recipient has code. */
async function successful(
  provider: Provider,
  { number, hash }: RpcBlock,
  paying: readonly RpcTransaction[],
): Promise<ReadonlySet<string>> {
  if (paying.length === 0) return new Set();
  const receipts =
    paying.length > MAX_SINGLE_RECEIPTS
      ? await receiptsOf(provider, { number: Number(number), hash })
      : await Promise.all(
          paying.map((one) => provider.rpc.request<RpcReceipt | null>('eth_getTransactionReceipt', [one.hash])),
        );
  return new Set(
    receipts.flatMap((receipt) =>
      receipt !== null && receipt.blockHash === hash && BigInt(receipt.status) === 1n ? [receipt.transactionHash] : [],
    ),
  );
}
