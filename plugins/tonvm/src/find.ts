import { keepNewest } from './chain/keep-newest.js';
import { Forgotten, history, readAccount, type TonProvider } from './chain/read.js';
import type { TonTransaction } from './chain/transaction.js';

/** Of each account: what happened lately. A provider cannot be asked for a hash alone. */
const MOST_READ = 300;
const KEPT = 2_000;

/** Transactions of our own accounts by the hashes that they go by: their own, and of what came from outside. */
export class Found {
  readonly #byHash = new Map<string, TonTransaction>();

  keep(transaction: TonTransaction): void {
    for (const hash of [transaction.hash, transaction.externalHash])
      if (hash !== undefined) this.#byHash.set(hash, transaction);
    keepNewest(this.#byHash, KEPT);
  }

  /**
   * @param accounts raw addresses that are searched where it is not known.
   * @returns undefined where it is not among what these did lately. @throws TransportError
   */
  async find(provider: TonProvider, hash: string, accounts: readonly string[]): Promise<TonTransaction | undefined> {
    const known = this.#byHash.get(hash);
    if (known) return known;
    for (const account of accounts) {
      const { last } = await readAccount(provider, account);
      let read = 0;
      try {
        for await (const transaction of history(provider, account, last)) {
          this.keep(transaction);
          if (transaction.hash === hash || transaction.externalHash === hash) return transaction;
          read += 1;
          if (read >= MOST_READ) break;
        }
      } catch (error) {
        // It forgot the rest.
        if (!(error instanceof Forgotten)) throw error;
      }
    }
    return undefined;
  }
}

/** Hex of 32 bytes, as transactions and messages are named; undefined for anything else. */
export function hashOf(text: string): string | undefined {
  return /^(0x)?[0-9a-fA-F]{64}$/.test(text) ? text.replace(/^0x/, '').toLowerCase() : undefined;
}
