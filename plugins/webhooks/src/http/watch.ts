import type { Clock } from '@causeway/core';

export interface Watched {
  /**
   * @param now milliseconds of the monotonic clock.
   * @returns when to look again, at least `everyMs` after its beginning.
   */
  look(now: number): number;
}

/**
 * One timer per endpoint: nearly all posts end long before their deadline, and a timer for each costs more than
 * signing a body.
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
      // Covers tasks that begin meanwhile.
      let next = now + this.#everyMs;
      for (const one of this.#open) next = Math.min(next, one.look(now));
      if (this.#open.size > 0) await this.#clock.sleep(Math.max(1, next - now), this.#over.signal);
    }
    this.#isRunning = false;
  }
}
