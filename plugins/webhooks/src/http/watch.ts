import type { Clock } from '@causeway/core';

export interface Watched {
  /**
   * @param now milliseconds of the monotonic clock.
   * @returns when to check again, same clock; at least `everyMs` after the post began.
   */
  look(now: number): number;
}

/**
 * One timer checks the deadlines of all posts to an endpoint: nearly all posts end long before theirs, and a timer for
 * each costs more than signing a body.
 */
export class Watch {
  readonly #open = new Set<Watched>();
  readonly #over = new AbortController();
  readonly #everyMs: number;
  readonly #clock: Clock;
  #isRunning = false;

  constructor(everyMs: number, clock: Clock) {
    this.#everyMs = everyMs;
    this.#clock = clock;
  }

  add(one: Watched): void {
    this.#open.add(one);
    if (!this.#isRunning) void this.#run();
  }

  delete(one: Watched): void {
    this.#open.delete(one);
  }

  close(): void {
    this.#over.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#open.size > 0 && !this.#over.signal.aborted) {
      const now = this.#clock.monotonic();
      // Posts that begin during the sleep are checked no later than this.
      let next = now + this.#everyMs;
      for (const one of this.#open) next = Math.min(next, one.look(now));
      if (this.#open.size > 0) await this.#clock.sleep(Math.max(1, next - now), this.#over.signal);
    }
    this.#isRunning = false;
  }
}
