import type { Clock } from '@causeway/core';

interface Entry<V> {
  readonly answer: Promise<V>;
  readonly stop: AbortController;
  wanted: number;
  /** Monotonic; undefined while it is running. */
  until?: number;
}

/**
 * Shares one request among callers that ask the same at the same time or shortly after. It is aborted when its last
 * caller aborts.
 */
export class Shared<V> {
  readonly #keepMs: number;
  readonly #most: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #entries = new Map<string, Entry<V>>();

  constructor(keepMs: number, most: number, clock: Pick<Clock, 'monotonic'>) {
    this.#keepMs = keepMs;
    this.#most = most;
    this.#clock = clock;
  }

  /**
   * Undefined where the signal aborted first.
   *
   * @param ask never rejects. @param isKept whether later callers may use the answer.
   */
  async of(
    key: string,
    ask: (signal: AbortSignal) => Promise<V>,
    isKept: (answer: V) => boolean,
    signal: AbortSignal,
  ): Promise<V | undefined> {
    if (signal.aborted) return undefined;
    const entry = this.#fresh(key) ?? this.#begin(key, ask, isKept);
    entry.wanted += 1;
    let leave = (): void => undefined;
    const left = new Promise<undefined>((resolve) => {
      leave = () => resolve(undefined);
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([entry.answer, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      entry.wanted -= 1;
      if (entry.wanted === 0 && entry.until === undefined) {
        entry.stop.abort();
        this.#forget(key, entry);
      }
    }
  }

  #fresh(key: string): Entry<V> | undefined {
    const entry = this.#entries.get(key);
    if (entry?.until === undefined || this.#clock.monotonic() < entry.until) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  #begin(key: string, ask: (signal: AbortSignal) => Promise<V>, isKept: (answer: V) => boolean): Entry<V> {
    const stop = new AbortController();
    const entry: Entry<V> = { answer: ask(stop.signal), stop, wanted: 0 };
    this.#forgetOld();
    this.#entries.set(key, entry);
    void entry.answer.then((answer) => {
      entry.until = this.#clock.monotonic() + this.#keepMs;
      if (!isKept(answer)) this.#forget(key, entry);
    });
    return entry;
  }

  /** Running requests stay: callers wait for them. */
  #forgetOld(): void {
    const now = this.#clock.monotonic();
    for (const [key, { until }] of this.#entries)
      if (until !== undefined && (until <= now || this.#entries.size >= this.#most)) this.#entries.delete(key);
  }

  #forget(key: string, entry: Entry<V>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
