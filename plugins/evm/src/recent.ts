import type { Clock } from '@causeway/core';

/** LRU cache bounded in size and age. */
export class Recent<V> {
  readonly #most: number;
  readonly #ageMs: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #entries = new Map<string, { readonly value: V; readonly at: number }>();

  constructor(most: number, ageMs: number, clock: Pick<Clock, 'monotonic'>) {
    this.#most = most;
    this.#ageMs = ageMs;
    this.#clock = clock;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (this.#clock.monotonic() - entry.at > this.#ageMs) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= this.#most && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { value, at: this.#clock.monotonic() });
  }
}
