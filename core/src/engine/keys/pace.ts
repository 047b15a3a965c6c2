import type { Clock } from '../../contract/clock.js';

/** More than this is a large part. */
const MAX_SMALL = 8;
const MAX_REST_MS = 150;

/**
 * Leaves half of the time to payments while a block with many own transactions is booked: large parts run one after
 * another, and after each as long passes as it took. Small parts wait for none.
 */
export class Pace {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  #before: Promise<void> = Promise.resolve();

  constructor(clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#clock = clock;
  }

  /** @param size of the part. @throws what `part` throws, which the parts behind it do not notice. */
  take<T>(size: number, part: () => Promise<T>): Promise<T> {
    if (size <= MAX_SMALL) return part();
    let took = 0;
    const done = this.#before.then(async () => {
      const began = this.#clock.monotonic();
      try {
        return await part();
      } finally {
        took = this.#clock.monotonic() - began;
      }
    });
    const rest = () => (took > 0 ? this.#clock.sleep(Math.min(took, MAX_REST_MS)) : undefined);
    this.#before = done.then(rest, rest);
    return done;
  }
}
