import type { BlockRef } from '@causeway/core';
import type { RawTransaction } from '../raw/transaction.js';
import { header, type Node } from '../rpc/node.js';

export interface Included {
  readonly tx: RawTransaction;
  readonly block: BlockRef;
  readonly cost: bigint;
}

const MAX_REMEMBERED = 64;

/**
 * Own confirmed transactions until finality. Their effect in a block is fixed; only the block's place on the chain is
 * queried again.
 */
export class IncludedTransactions {
  readonly #known = new Map<string, Included>();

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
      if (this.#known.size <= MAX_REMEMBERED) break;
      this.#known.delete(oldest);
    }
  }
}
