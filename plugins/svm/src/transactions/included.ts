import type { BlockRef } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { blockAt } from '../watch/heads.js';
import { fetchTransaction } from './fetch.js';
import { type ReadTransaction, readTransaction } from './read.js';

/** Cached transactions: more than a signer lands before finality. */
const MAX_REMEMBERED = 5_000;

export interface Included {
  readonly transaction: ReadTransaction;
  readonly block: BlockRef;
}

/**
 * Until finality each is checked with every head.
 *
 * Invariant: an entry is used only while a node currently reports the transaction in the slot it was read from, which
 * identifies one block. In another slot, and once when final, it is read again.
 */
export class IncludedTransactions {
  readonly #known = new Map<string, Included>();

  /** @param slot from a current status. Undefined: the provider does not show it. */
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
    if (this.#known.size >= MAX_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(signature, included);
  }
}
