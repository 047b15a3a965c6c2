import {
  type Chain,
  type Client,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  type Transport,
  WaitForTransactionReceiptTimeoutError,
} from 'viem';
import { getTransactionReceipt } from 'viem/actions';

interface Wish {
  readonly hash: `0x${string}`;
  readonly pollingInterval?: number;
  readonly timeout?: number;
}

/**
 * Extends clients of nodes that make a block per transaction. The library's own wait asks for the receipt only when it sees
 * another block, and skips one that comes while it still asks about the block before; such a node makes no further one.
 */
export function pollReceipts<T extends Transport, C extends Chain>(client: Client<T, C>) {
  return {
    waitForTransactionReceipt: async ({ hash, pollingInterval = 20, timeout = 60_000 }: Wish) => {
      for (const end = Date.now() + timeout; ; ) {
        const receipt = await getTransactionReceipt(client, { hash }).catch(missing);
        if (receipt !== undefined) return receipt as TransactionReceipt;
        if (Date.now() > end) throw new WaitForTransactionReceiptTimeoutError({ hash });
        await new Promise((resolve) => setTimeout(resolve, pollingInterval));
      }
    },
  };
}

function missing(error: unknown): undefined {
  if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
}
