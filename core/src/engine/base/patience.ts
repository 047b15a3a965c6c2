import type { Clock } from '../../contract/clock.js';

/**
 * Round-robin: a postponed row is read again after all others.
 *
 * Invariant: stuck rows, however many, never keep later rows from being read.
 */
export class Patience {
  readonly #until = new Map<string, number>();
  readonly #clock: Pick<Clock, 'monotonic'>;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Up to `most` rows that are not postponed. @param read returns the first rows in order. */
  async turn<T>(
    most: number,
    read: (limit: number) => Promise<readonly T[]>,
    nameOf: (row: T) => string,
  ): Promise<T[]> {
    const now = this.#clock.monotonic();
    for (const [name, until] of this.#until) if (until <= now) this.#until.delete(name);
    const rows = await read(most + this.#until.size);
    if (rows.length < most) return [...rows];
    return rows.filter((row) => !this.#until.has(nameOf(row))).slice(0, most);
  }

  /** Whether a row is postponed, which matters if `turn` returned all rows. */
  waits(name: string): boolean {
    return (this.#until.get(name) ?? Number.NEGATIVE_INFINITY) > this.#clock.monotonic();
  }

  postpone(name: string, ms: number): void {
    this.#until.set(name, this.#clock.monotonic() + ms);
  }
}
