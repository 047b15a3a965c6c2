import type { Clock } from '../../contract/clock.js';

export interface LoadLimits {
  /** Requests in progress beyond which new ones are refused. */
  readonly maxInProgress: number;
  /** Event loop delay, smoothed over about a second. */
  readonly maxLoopDelayMs: number;
}

const SAMPLE_MS = 100;
/** Weight of the newest sample. */
const NEWEST_SAMPLE_WEIGHT = 0.3;
/** A sample counts for at most this multiple of the limit. */
const MAX_SAMPLE_FACTOR = 2;

/**
 * Under overload it is better to refuse at once with a retry time than to answer all requests too late. A single long
 * pause (a stopped process) is not overload: one sample cannot reach the limit.
 */
export class Load {
  closing = false;
  readonly #limits: LoadLimits;
  readonly #stop: () => void;
  #open = 0;
  #late = 0;
  #empty: (() => void) | undefined;

  constructor(limits: LoadLimits, clock: Pick<Clock, 'monotonic' | 'every'>) {
    this.#limits = limits;
    let expected = clock.monotonic() + SAMPLE_MS;
    this.#stop = clock.every(SAMPLE_MS, () => {
      const now = clock.monotonic();
      const late = Math.min(Math.max(0, now - expected), MAX_SAMPLE_FACTOR * limits.maxLoopDelayMs);
      this.#late += NEWEST_SAMPLE_WEIGHT * (late - this.#late);
      expected = now + SAMPLE_MS;
    });
  }

  enter(): void {
    this.#open += 1;
  }

  leave(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#empty?.();
  }

  overloaded(): boolean {
    return this.#open > this.#limits.maxInProgress || this.#late > this.#limits.maxLoopDelayMs;
  }

  /** Resolves when nothing is in progress. */
  close(): Promise<void> {
    this.closing = true;
    this.#stop();
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#empty = resolve;
    });
  }
}
