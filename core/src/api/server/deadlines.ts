import type { Clock } from '../../contract/clock.js';
import { apiError } from '../../errors/api-error.js';

const SWEEPS_PER_LIMIT = 20;

class Waiting {
  before: Waiting | undefined;
  after: Waiting | undefined;

  constructor(
    readonly until: number,
    readonly expire: (error: Error) => void,
  ) {}
}

/**
 * Rejects answers that take too long; the work continues and its result is dropped. One timer serves all: the limit
 * is the same, so the oldest expires first.
 *
 * A linked list, because a busy `Set` reallocates its table, and old tables keep answers alive until the next major
 * collection.
 */
export class Deadlines {
  readonly #limitMs: number;
  readonly #clock: Pick<Clock, 'monotonic' | 'every'>;
  readonly #stop: () => void;
  #oldest: Waiting | undefined;
  #newest: Waiting | undefined;

  constructor(limitMs: number, clock: Pick<Clock, 'monotonic' | 'every'>) {
    this.#limitMs = limitMs;
    this.#clock = clock;
    this.#stop = clock.every(Math.max(1, limitMs / SWEEPS_PER_LIMIT), () => this.#sweep());
  }

  /** Settles as the work does. @throws ApiError REQUEST_TIMED_OUT when it takes too long. */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = new Waiting(this.#clock.monotonic() + this.#limitMs, reject);
      this.#add(waiting);
      work.then(
        (result) => {
          this.#remove(waiting);
          resolve(result);
        },
        (error: unknown) => {
          this.#remove(waiting);
          reject(error);
        },
      );
    });
  }

  close(): void {
    this.#stop();
  }

  #add(waiting: Waiting): void {
    waiting.before = this.#newest;
    if (this.#newest) this.#newest.after = waiting;
    else this.#oldest = waiting;
    this.#newest = waiting;
  }

  /** Idempotent. Clears its references. */
  #remove(waiting: Waiting): void {
    const { before, after } = waiting;
    if (before) before.after = after;
    else if (this.#oldest === waiting) this.#oldest = after;
    if (after) after.before = before;
    else if (this.#newest === waiting) this.#newest = before;
    waiting.before = undefined;
    waiting.after = undefined;
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    for (let oldest = this.#oldest; oldest && oldest.until <= now; oldest = this.#oldest) {
      this.#remove(oldest);
      oldest.expire(apiError('REQUEST_TIMED_OUT', 'The answer took too long'));
    }
  }
}
