import type { BlockRef } from '@causeway/core';
import type { RawTransaction } from '../raw/transaction.js';
import { header, type Node } from '../rpc/node.js';

/** A transaction of ours in a block, and what it cost the lane. */
export interface Included {
  readonly tx: RawTransaction;
  readonly block: BlockRef;
  /** Satoshis. */
  readonly cost: bigint;
}

/** As many as are not final at once, and some more. */
const MOST = 64;

/**
 * Transactions of ours that were found in blocks. Each is looked at until it is final, and what it did in a block never
 * changes: what is asked again is only whether the block is still on the chain.
 */
export class IncludedTransactions {
  readonly #known = new Map<string, Included>();

  /** Undefined where it is not known, or its block was replaced. */
  async get(node: Node, hash: string): Promise<Included | undefined> {
    const known = this.#known.get(hash);
    if (known === undefined) return undefined;
    const block = await header(node, known.block.id);
    if (block !== undefined && block.confirmations > 0) return known;
    this.#known.delete(hash);
    return undefined;
  }

  put(included: Included): void {
    this.#known.set(included.tx.txid, included);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST) break;
      this.#known.delete(oldest);
    }
  }
}
