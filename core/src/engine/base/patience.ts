import type { Clock } from '../../contract/clock.js';

/**
 * Takes turns among rows of which some may have to wait for long: a row that could not be dealt with goes behind the rest.
 *
 * Invariant: rows that stay as they are never keep later rows from being read, however many there are. Where all rows fit into
 * one reading, none is put off.
 */
export class Patience {
  readonly #until = new Map<string, number>();
  readonly #clock: Pick<Clock, 'monotonic'>;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The rows whose turn it is, at most `most`. `read` gives the first rows in order. */
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

  postpone(name: string, ms: number): void {
    this.#until.set(name, this.#clock.monotonic() + ms);
  }
}
