import { keepNewest } from '../chain/keep-newest.js';
import { Forgotten, past, type TonProvider } from '../chain/read.js';
import { change, type TonTransaction } from '../chain/transaction.js';

const MAX_TRANSACTIONS_READ = 200;
const MAX_REMEMBERED = 2_000;

/**
 * Storage fees, nanotons, that a wallet lost between its orders. Booked with the next order's fee, so that every lost
 * coin has an entry.
 */
export class Upkeep {
  readonly #isReported: (transaction: TonTransaction) => boolean;
  /** By order hash; the past never changes. */
  readonly #known = new Map<string, bigint>();

  /** @param isReported whether a transaction's cost is booked elsewhere, as a deposit's is. */
  constructor(isReported: (transaction: TonTransaction) => boolean) {
    this.#isReported = isReported;
  }

  /** @throws TransportError */
  async before(provider: TonProvider, order: TonTransaction): Promise<bigint> {
    const known = this.#known.get(order.hash);
    if (known !== undefined) return known;
    let lost = 0n;
    let read = 0;
    try {
      for await (const transaction of past(provider, order.account, order.previous)) {
        read += 1;
        if ('unread' in transaction) {
          // Its cost is unknown and has no entry; it may be the order before, which ends the search.
          if (transaction.cause !== 'inside') break;
          continue;
        }
        if (transaction.externalHash !== undefined || read > MAX_TRANSACTIONS_READ) break;
        const by = change(transaction);
        if (by < 0n && !this.#isReported(transaction)) lost -= by;
      }
    } catch (error) {
      // The history is pruned here; the amount is too small for a further search.
      if (!(error instanceof Forgotten)) throw error;
    }
    this.#known.set(order.hash, lost);
    keepNewest(this.#known, MAX_REMEMBERED);
    return lost;
  }
}
