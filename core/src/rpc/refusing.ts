import type { Clock } from '../contract/clock.js';

/** Refusals in a row; fewer may be a lagging backend. */
const LEAST_TIMES = 3;
const FIRST_MS = 5_000;
const LAST_MS = 300_000;

interface Kept {
  /** Refusals in a row, by reading. */
  readonly counts: Map<string, number>;
  /** Next avoidance, milliseconds. */
  ms: number;
  /** Avoided until this monotonic time. */
  until: number;
}

/**
 * Avoids providers that refuse questions which always have an answer, longer each time in a row. Probes alone would
 * restore a provider that fails one method but proves its identity.
 */
export class Refusing {
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  readonly #onChange: () => void;
  readonly #kept = new Map<number, Kept>();
  #avoided = 0;

  /** @param onChange called when avoidance of a provider begins or ends. */
  constructor(clock: Clock, stop: AbortSignal, onChange: () => void) {
    this.#clock = clock;
    this.#stop = stop;
    this.#onChange = onChange;
  }

  has(index: number): boolean {
    return this.#avoided > 0 && (this.#kept.get(index)?.until ?? 0) > this.#clock.monotonic();
  }

  answered(index: number, reading: string): void {
    this.#kept.get(index)?.counts.delete(reading);
  }

  /** @returns whether it is avoided from now on because of that. */
  refused(index: number, reading: string): boolean {
    const now = this.#clock.monotonic();
    const kept = this.#kept.get(index) ?? { counts: new Map<string, number>(), ms: FIRST_MS, until: 0 };
    this.#kept.set(index, kept);
    const times = (kept.counts.get(reading) ?? 0) + 1;
    kept.counts.set(reading, times);
    if (times < LEAST_TIMES || kept.until > now) return false;
    kept.ms = kept.until > 0 && now - kept.until < kept.ms ? Math.min(kept.ms * 2, LAST_MS) : FIRST_MS;
    kept.until = now + kept.ms;
    kept.counts.clear();
    this.#avoided += 1;
    this.#onChange();
    void this.#clock.sleep(kept.ms + 1, this.#stop).then(() => {
      this.#avoided -= 1;
      if (!this.#stop.aborted) this.#onChange();
    });
    return true;
  }
}
