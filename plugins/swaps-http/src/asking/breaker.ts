import type { Clock } from '@causeway/core';

/** Milliseconds. */
export interface Patience {
  /** Failures in a row that open the circuit for `openMs`, doubled each time the trial fails. */
  readonly failures: number;
  readonly openMs: number;
  /** Upper limit, also for a pause that the server asks for. */
  readonly maxOpenMs: number;
}

/** Admits one trial at a time. An admitted caller reports `worked`, `failed` or `inconclusive`. */
export class Breaker {
  readonly #patience: Patience;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #failed = 0;
  #closedUntil = 0;
  #isTried = false;

  constructor(patience: Patience, clock: Pick<Clock, 'monotonic'>) {
    this.#patience = patience;
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#failed >= this.#patience.failures;
  }

  get failures(): number {
    return this.#failed;
  }

  admits(): boolean {
    // guard: aggregator-breaker
    if (this.#clock.monotonic() < this.#closedUntil) return false;
    if (!this.isOpen) return true;
    if (this.#isTried) return false;
    this.#isTried = true;
    return true;
  }

  worked(): void {
    this.#isTried = false;
    this.#failed = 0;
    this.#closedUntil = 0;
  }

  /** @param askedMs pause that the server asked for. */
  failed(askedMs = 0): void {
    const { failures, openMs, maxOpenMs } = this.#patience;
    this.#isTried = false;
    this.#failed += 1;
    const own = this.isOpen ? Math.min(openMs * 2 ** Math.min(this.#failed - failures, 30), maxOpenMs) : 0;
    const pause = Math.max(own, Math.min(askedMs, maxOpenMs));
    this.#closedUntil = Math.max(this.#closedUntil, this.#clock.monotonic() + pause);
  }

  /** Neither success nor failure. */
  inconclusive(): void {
    this.#isTried = false;
  }
}
