import type { Clock } from '../../contract/clock.js';

/** More than this is a large part. */
const MAX_SMALL = 8;
/** Of a part whose chain answers slowly, the next one does not wait for the rest. */
const MAX_TURN_MS = 150;

/**
 * Leaves half of the time to payments while a block with many own transactions is booked: large parts begin one after
 * another, and after each as long passes as it took. Small parts wait for none.
 */
export class Pace {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly #stopping: AbortSignal;
  #before: Promise<void> = Promise.resolve();

  /** @param stopping ends all rests. */
  constructor(clock: Pick<Clock, 'monotonic' | 'sleep'>, stopping: AbortSignal) {
    this.#clock = clock;
    this.#stopping = stopping;
  }

  /** @param size of the part. @throws what `part` throws, which the parts behind it do not notice. */
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
