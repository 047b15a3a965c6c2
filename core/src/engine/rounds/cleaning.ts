import type { Clock } from '../../contract/clock.js';
import type { Store } from '../../contract/store.js';

/** How long what may go is kept, milliseconds. */
export interface Lives {
  /** An unpaid quote of a caller without a key, past its deadline. */
  readonly anonymousMs: number;
  /** A delivery that is over. */
  readonly deliveriesMs: number;
}

/**
 * When the ledger is cleaned: once in a while, however often the lease for it is lost and won again. A lease is lost where the
 * database is slow, and that is no time to clean it once more.
 */
export class Cleaning {
  readonly #store: Pick<Store, 'prune'>;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #everyMs: number;
  readonly #lives: Lives;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(store: Pick<Store, 'prune'>, clock: Pick<Clock, 'now' | 'monotonic'>, everyMs: number, lives: Lives) {
    this.#store = store;
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#lives = lives;
  }

  /** @returns whether more is to be done at once: what one call of the store leaves is not left for long. */
  async round(): Promise<boolean> {
    const from = this.#clock.monotonic();
    if (from < this.#notBefore) return false;
    this.#notBefore = from + this.#everyMs;
    const { anonymousMs, deliveriesMs } = this.#lives;
    const gone = await this.#store.prune(this.#clock.now(), anonymousMs, deliveriesMs);
    if (gone > 0) this.#notBefore = Number.NEGATIVE_INFINITY;
    return gone > 0;
  }
}
