import type { Clock } from '@causeway/core';

/** A burst of this size after a pause, then this many per second. */
export class Allowance {
  readonly #most: number;
  readonly #perMs: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #was: number;
  #at: number;

  constructor(most: number, perSecond: number, clock: Pick<Clock, 'monotonic'>) {
    this.#most = most;
    this.#perMs = perSecond / 1_000;
    this.#clock = clock;
    this.#was = most;
    this.#at = clock.monotonic();
  }

  /** Not rounded. */
  get left(): number {
    return Math.min(this.#most, this.#was + (this.#clock.monotonic() - this.#at) * this.#perMs);
  }

  take(amount: number): void {
    this.#was = this.left - amount;
    this.#at = this.#clock.monotonic();
  }
}
