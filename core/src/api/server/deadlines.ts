import type { Clock } from '../../contract/clock.js';
import { apiError } from '../../errors/api-error.js';

interface Waiting {
  readonly until: number;
  readonly expire: () => void;
}

const SWEEPS = 20;

/**
 * Gives up on answers that take too long, so that no client waits for ever on something that hangs. What was begun goes
 * on; its result is dropped. One timer serves all: every answer has the same time, so the oldest is always the next.
 */
export class Deadlines {
  readonly #limitMs: number;
  readonly #clock: Pick<Clock, 'monotonic' | 'every'>;
  readonly #waiting = new Set<Waiting>();
  readonly #stop: () => void;

  constructor(limitMs: number, clock: Pick<Clock, 'monotonic' | 'every'>) {
    this.#limitMs = limitMs;
    this.#clock = clock;
    this.#stop = clock.every(Math.max(1, limitMs / SWEEPS), () => this.#sweep());
  }

  /** Resolves as the work does. @throws ApiError REQUEST_TIMED_OUT when it takes too long. */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        until: this.#clock.monotonic() + this.#limitMs,
        expire: () => reject(apiError('REQUEST_TIMED_OUT', 'The answer took too long')),
      };
      this.#waiting.add(waiting);
      work.then(resolve, reject).finally(() => this.#waiting.delete(waiting));
    });
  }

  close(): void {
    this.#stop();
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const waiting of this.#waiting) {
      if (waiting.until > now) return;
      this.#waiting.delete(waiting);
      waiting.expire();
    }
  }
}
