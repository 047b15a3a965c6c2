import type { Address, Hex } from 'viem';
import { quantity, rpc, rpcBatch } from './rpc.js';

export interface LocalTransaction {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly gas: bigint;
  /** wei */
  readonly value?: bigint;
}

const BLOCK_GAS = 30_000_000n;

interface Receipt {
  readonly status: Hex;
}

/**
 * Sends from any account (the local node impersonates it) in as few blocks as possible, and waits. Transactions of
 * one sender keep their order; those of different senders must not depend on each other.
 *
 * @throws when one reverts.
 */
export async function send(url: string, transactions: readonly LocalTransaction[]): Promise<void> {
  if (transactions.length === 0) return;
  const senders = [...new Set(transactions.map(({ from }) => from))];
  const [automine, ...counts] = await rpcBatch<unknown>(url, [
    { method: 'anvil_getAutomine', params: [] },
    ...senders.map((from) => ({ method: 'eth_getTransactionCount', params: [from, 'pending'] })),
  ]);
  const nonces = new Map(senders.map((from, i) => [from, BigInt(counts[i] as Hex)]));
  await rpcBatch(url, [
    ...senders.map((from) => ({ method: 'anvil_impersonateAccount', params: [from] })),
    ...(automine === true ? [{ method: 'evm_setAutomine', params: [false] }] : []),
  ]);
  try {
    for (const block of blocksOf(transactions)) {
      const hashes = await rpcBatch<Hex>(
        url,
        block.map((transaction) => {
          const nonce = nonces.get(transaction.from) ?? 0n;
          nonces.set(transaction.from, nonce + 1n);
          return { method: 'eth_sendTransaction', params: [encoded(transaction, nonce)] };
        }),
      );
      await mineAll(url, hashes);
    }
  } finally {
    await rpcBatch(url, [
      ...senders.map((from) => ({ method: 'anvil_stopImpersonatingAccount', params: [from] })),
      ...(automine === true ? [{ method: 'evm_setAutomine', params: [true] }] : []),
    ]);
  }
}

/**
 * Split here, because the node would skip a transaction that does not fit, include later ones, and then drop it for
 * its nonce.
 */
function blocksOf(transactions: readonly LocalTransaction[]): readonly (readonly LocalTransaction[])[] {
  const blocks: LocalTransaction[][] = [];
  let left = 0n;
  for (const transaction of transactions) {
    if (transaction.gas > left) {
      blocks.push([]);
      left = BLOCK_GAS;
    }
    blocks.at(-1)?.push(transaction);
    left -= transaction.gas;
  }
  return blocks;
}

function encoded({ gas, value = 0n, ...rest }: LocalTransaction, nonce: bigint) {
  return { ...rest, gas: quantity(gas), value: quantity(value), nonce: quantity(nonce) };
}

async function mineAll(url: string, hashes: readonly Hex[]): Promise<void> {
  for (let waiting = hashes; waiting.length > 0; ) {
    await rpc(url, 'evm_mine');
    const receipts = await rpcBatch<Receipt | null>(
      url,
      waiting.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
    );
    const reverted = waiting.find((_, i) => receipts[i]?.status === '0x0');
    if (reverted !== undefined) throw new Error(`transaction ${reverted} reverted while the local chain was set up`);
    const left = waiting.filter((_, i) => receipts[i] == null);
    if (left.length === waiting.length) throw new Error('the local chain mines nothing of what it accepted');
    waiting = left;
  }
}
