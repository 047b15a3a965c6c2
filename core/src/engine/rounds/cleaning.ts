import type { Clock } from '../../contract/clock.js';
import type { Store } from '../../contract/store.js';

/** Retention, milliseconds. */
export interface Lives {
  /** Unpaid, past their deadline. */
  readonly anonymousMs: number;
  readonly deliveriesMs: number;
}

/** Independent of lease changes: leases are lost when the database is slow, which is no time to clean again. */
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

  /** @returns whether to continue at once. */
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
