import type { Clock } from '../../contract/clock.js';
import type { Store } from '../../contract/store.js';

/**
 * When the ledger is cleaned: once in a while, however often the lease for it is lost and won again. A lease is lost where the
 * database is slow, and that is no time to clean it once more.
 */
export class Cleaning {
  readonly #store: Pick<Store, 'prune'>;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #everyMs: number;
  readonly #anonymousLifeMs: number;
  #notBefore = Number.NEGATIVE_INFINITY;

  /** @param anonymousLifeMs how long past its deadline an unpaid quote of a caller without a key is kept. */
  constructor(
    store: Pick<Store, 'prune'>,
    clock: Pick<Clock, 'now' | 'monotonic'>,
    everyMs: number,
    anonymousLifeMs: number,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#anonymousLifeMs = anonymousLifeMs;
  }

  /** @returns whether more is to be done at once: what one call of the store leaves is not left for long. */
  async round(): Promise<boolean> {
    const from = this.#clock.monotonic();
    if (from < this.#notBefore) return false;
    this.#notBefore = from + this.#everyMs;
    const gone = await this.#store.prune(this.#clock.now(), this.#anonymousLifeMs);
    if (gone > 0) this.#notBefore = Number.NEGATIVE_INFINITY;
    return gone > 0;
  }
}
