import { keepNewest } from './chain/keep-newest.js';
import { Forgotten, past, readAccount, type TonProvider } from './chain/read.js';
import type { TonTransaction } from './chain/transaction.js';

const MAX_TRANSACTIONS_READ = 300;
const MAX_REMEMBERED = 2_000;

export class Found {
  readonly #byHash = new Map<string, TonTransaction>();

  keep(transaction: TonTransaction): void {
    for (const hash of [transaction.hash, transaction.externalHash])
      if (hash !== undefined) this.#byHash.set(hash, transaction);
    keepNewest(this.#byHash, MAX_REMEMBERED);
  }

  /**
   * @param accounts raw addresses to search if the hash is not known.
   * @returns undefined where it is not among their recent transactions. @throws TransportError
   */
  async find(provider: TonProvider, hash: string, accounts: readonly string[]): Promise<TonTransaction | undefined> {
    const known = this.#byHash.get(hash);
    if (known) return known;
    for (const account of accounts) {
      const { last } = await readAccount(provider, account);
      let read = 0;
      try {
        for await (const transaction of past(provider, account, last)) {
          if (!('unread' in transaction)) {
            this.keep(transaction);
            if (transaction.hash === hash || transaction.externalHash === hash) return transaction;
          }
          read += 1;
          if (read >= MAX_TRANSACTIONS_READ) break;
        }
      } catch (error) {
        // Older transactions are pruned.
        if (!(error instanceof Forgotten)) throw error;
      }
    }
    return undefined;
  }
}

export function hashOf(text: string): string | undefined {
  return /^(0x)?[0-9a-fA-F]{64}$/.test(text) ? text.replace(/^0x/, '').toLowerCase() : undefined;
}
