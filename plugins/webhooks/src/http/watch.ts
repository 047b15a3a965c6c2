import type { Clock } from '@causeway/core';

/** Something that takes its time, and is ended where that is over. */
export interface Watched {
  /**
   * Ends itself if its time is over.
   *
   * @param now milliseconds of the monotonic clock.
   * @returns when it wants to be looked at again, no earlier than `everyMs` from its beginning on.
   */
  look(now: number): number;
}

/**
 * Looks after all that one endpoint has under way by one timer, which is set again when it ran out: nearly everything ends
 * long before its time is over, and to set a timer for each and take it back costs more than to sign what is posted.
 */
export class Watch {
  readonly #open = new Set<Watched>();
  readonly #over = new AbortController();
  readonly #everyMs: number;
  readonly #clock: Clock;
  #isRunning = false;

  /** @param everyMs the shortest time that anything is given. */
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

  /** Looks after nothing any more. */
  close(): void {
    this.#over.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#open.size > 0 && !this.#over.signal.aborted) {
      const now = this.#clock.monotonic();
      // What begins meanwhile is looked at in time, too.
      let next = now + this.#everyMs;
      for (const one of this.#open) next = Math.min(next, one.look(now));
      if (this.#open.size > 0) await this.#clock.sleep(Math.max(1, next - now), this.#over.signal);
    }
    this.#isRunning = false;
  }
}
