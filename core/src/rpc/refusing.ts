import type { Clock } from '../contract/clock.js';

const REFUSALS_BEFORE_AVOIDING = 3;
const FIRST_AVOIDED_MS = 5_000;
const MAX_AVOIDED_MS = 300_000;

interface Kept {
  readonly counts: Map<string, number>;
  ms: number;
  until: number;
}

/**
 * Avoids a provider, for a growing time, that keeps refusing questions which every healthy node answers. Probes do not
 * detect this, because they only check the chain's identity.
 */
export class Refusing {
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  readonly #onChange: () => void;
  readonly #kept = new Map<number, Kept>();
  #avoided = 0;

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

  refused(index: number, reading: string): boolean {
    const now = this.#clock.monotonic();
    const kept = this.#kept.get(index) ?? { counts: new Map<string, number>(), ms: FIRST_AVOIDED_MS, until: 0 };
    this.#kept.set(index, kept);
    const times = (kept.counts.get(reading) ?? 0) + 1;
    kept.counts.set(reading, times);
    if (times < REFUSALS_BEFORE_AVOIDING || kept.until > now) return false;
    kept.ms = kept.until > 0 && now - kept.until < kept.ms ? Math.min(kept.ms * 2, MAX_AVOIDED_MS) : FIRST_AVOIDED_MS;
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
