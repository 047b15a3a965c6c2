import { keepNewest } from '../chain/keep-newest.js';
import { Forgotten, history, type TonProvider } from '../chain/read.js';
import { change, type TonTransaction } from '../chain/transaction.js';

/** Of the transactions between two orders; what is further back is nanotons. */
const MOST_READ = 200;
const KEPT = 2_000;

/**
 * What a wallet lost between its orders without sending anything, nanotons: it pays for being kept whenever somebody sends it less than
 * that. It belongs to the next order's fee, so that no coin leaves a wallet without an entry in the books.
 */
export class Upkeep {
  readonly #isTold: (transaction: TonTransaction) => boolean;
  /** By the hash of the order: what came before it never changes. */
  readonly #known = new Map<string, bigint>();

  /** @param isTold what cost a transaction is told elsewhere, as that of a deposit is. */
  constructor(isTold: (transaction: TonTransaction) => boolean) {
    this.#isTold = isTold;
  }

  /** @throws TransportError */
  async before(provider: TonProvider, order: TonTransaction): Promise<bigint> {
    const known = this.#known.get(order.hash);
    if (known !== undefined) return known;
    let lost = 0n;
    let read = 0;
    try {
      for await (const transaction of history(provider, order.account, order.previous)) {
        read += 1;
        if (transaction.externalHash !== undefined || read > MOST_READ) break;
        const by = change(transaction);
        if (by < 0n && !this.#isTold(transaction)) lost -= by;
      }
    } catch (error) {
      // It forgot the rest, and nanotons are worth no search.
      if (!(error instanceof Forgotten)) throw error;
    }
    this.#known.set(order.hash, lost);
    keepNewest(this.#known, KEPT);
    return lost;
  }
}
