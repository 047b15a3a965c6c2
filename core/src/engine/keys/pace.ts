import type { Clock } from '../../contract/clock.js';

/** Parts with more own transactions are large. */
const MAX_SMALL = 8;
/** Maximum time that the next part waits for one whose chain answers slowly, and maximum pause after it. */
const MAX_TURN_MS = 150;

/**
 * Leaves half of the time to payments while a block with many own transactions is booked: large parts begin one after
 * another, each followed by a pause as long as it took. Small parts never wait.
 */
export class Pace {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly #stopping: AbortSignal;
  #before: Promise<void> = Promise.resolve();

  /** @param stopping ends all pauses. */
  constructor(clock: Pick<Clock, 'monotonic' | 'sleep'>, stopping: AbortSignal) {
    this.#clock = clock;
    this.#stopping = stopping;
  }

  /** @param size number of own transactions. @throws what `part` throws; later parts run all the same. */
  take<T>(size: number, part: () => Promise<T>): Promise<T> {
    if (size <= MAX_SMALL) return part();
    const done = this.#before.then(part);
    this.#before = this.#before.then(() => this.#rest(done));
    return done;
  }

  async #rest(part: Promise<unknown>): Promise<void> {
    const began = this.#clock.monotonic();
    const ended = new AbortController();
    const over = part.then(
      () => ended.abort(),
      () => ended.abort(),
    );
    await Promise.race([over, this.#clock.sleep(MAX_TURN_MS, ended.signal)]);
    const took = this.#clock.monotonic() - began;
    if (took > 0) await this.#clock.sleep(Math.min(took, MAX_TURN_MS), this.#stopping);
  }
}
