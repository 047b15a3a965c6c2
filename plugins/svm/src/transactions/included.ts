import type { BlockRef } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { blockAt } from '../watch/heads.js';
import { fetchTransaction } from './fetch.js';
import { type ReadTransaction, readTransaction } from './read.js';

/** Most that are remembered: more than a signer lands between a slot and its finality. */
const MOST = 5_000;

export interface Included {
  readonly transaction: ReadTransaction;
  readonly block: BlockRef;
}

/**
 * Transactions of ours that were read already. Until they are final each is looked at with every head, and many wait.
 *
 * Invariant: what is remembered is used only while a node says afresh that the transaction is in the very slot that it was
 * read from, which names one block. In another slot, and once more when it is final, it is read again.
 */
export class IncludedTransactions {
  readonly #known = new Map<string, Included>();

  /** @param slot where a status of this moment has it. Undefined: the provider does not show it. */
  async get(provider: Provider, signature: string, slot: number, final: boolean): Promise<Included | undefined> {
    const known = this.#known.get(signature);
    if (!final && known?.transaction.slot === slot) return known;
    this.#known.delete(signature);
    const raw = await fetchTransaction(provider.rpc, signature);
    if (raw === undefined) return undefined;
    const transaction = readTransaction(raw);
    const included = { transaction, block: await blockAt(provider, transaction.slot) };
    this.#remember(signature, included);
    return included;
  }

  #remember(signature: string, included: Included): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MOST && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(signature, included);
  }
}
