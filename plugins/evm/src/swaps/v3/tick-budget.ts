import type { Clock } from '@causeway/core';
import { Allowance } from '../../rate-allowance.js';

/** Reads of ticks and bitmap words per second, per pool and per chain. */
const POOL_PER_SECOND = 50;
const ALL_PER_SECOND = 1_000;
const MAX_TICKS_PER_READ = 5_000;
/** Exclusion time of a pool that exceeds its budget. */
const HOLD_MS = 600_000;

/**
 * Bounds reads of pools whose ticks third parties change at will.
 *
 * Invariant: a pool causes at most `atOnce` reads plus 50 per second, and all pools of a chain at most 5,000, or two
 * whole pools, plus 1,000 per second.
 */
export class TickBudget {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #atOnce: number;
  readonly #all: Allowance;
  readonly #pools = new Map<string, Allowance>();
  readonly #heldUntil = new Map<string, number>();

  constructor(whole: number, clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#atOnce = 2 * whole;
    this.#all = new Allowance(Math.max(MAX_TICKS_PER_READ, 2 * whole), ALL_PER_SECOND, clock);
  }

  /** `later`: the shared budget is used up. `hold`: the pool is excluded for `HOLD_MS`. */
  take(pool: string, reads: number): 'now' | 'later' | 'hold' {
    const own = this.#pools.get(pool) ?? new Allowance(this.#atOnce, POOL_PER_SECOND, this.#clock);
    this.#pools.set(pool, own);
    // guard: tick-reads
    if (own.left < reads) {
      this.#heldUntil.set(pool, this.#clock.monotonic() + HOLD_MS);
      return 'hold';
    }
    if (this.#all.left < reads) return 'later';
    own.take(reads);
    this.#all.take(reads);
    return 'now';
  }

  isHeld(pool: string): boolean {
    return (this.#heldUntil.get(pool) ?? Number.NEGATIVE_INFINITY) > this.#clock.monotonic();
  }
}
