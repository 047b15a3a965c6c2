import type { Clock } from '@causeway/core';

/** Ticks and words of bitmaps that may be read per second, of one pool and of all of a chain. */
const POOL_PER_SECOND = 50;
const ALL_PER_SECOND = 1_000;
/** Least that all may be read of at once. */
const ALL_AT_ONCE = 5_000;
/** How long a pool that costs more is left out. */
const HOLD_MS = 600_000;

/**
 * How much is read of pools whose ticks strangers change at will.
 *
 * Invariant: in any time a pool causes at most `atOnce` reads and 50 for each second, and all pools of a chain at most 5,000, or two
 * whole ones, and 1,000 for each second.
 */
export class TickBudget {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #atOnce: number;
  readonly #all: Allowance;
  readonly #pools = new Map<string, Allowance>();
  readonly #heldUntil = new Map<string, number>();

  /** @param whole reads that all ticks of one pool take at most. */
  constructor(whole: number, clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    // Read once, and once more after a provider changed or a reorg.
    this.#atOnce = 2 * whole;
    this.#all = new Allowance(Math.max(ALL_AT_ONCE, 2 * whole), ALL_PER_SECOND, clock);
  }

  /** Whether so much may be read of a pool. `later`: others used it up. `hold`: it is left out for a while. */
  take(pool: string, reads: number): 'now' | 'later' | 'hold' {
    const own = this.#pools.get(pool) ?? new Allowance(this.#atOnce, POOL_PER_SECOND, this.#clock);
    this.#pools.set(pool, own);
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

/** Fills up to `most` over time. */
class Allowance {
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

  get left(): number {
    return Math.min(this.#most, this.#was + (this.#clock.monotonic() - this.#at) * this.#perMs);
  }

  take(amount: number): void {
    this.#was = this.left - amount;
    this.#at = this.#clock.monotonic();
  }
}
