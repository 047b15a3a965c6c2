import type { Clock } from '../contract/clock.js';
import { chainPatienceMs } from '../domain/chain-patience.js';
import { cutText } from '../domain/cut-text.js';

interface Failing {
  readonly since: number;
  readonly at: number;
  readonly times: number;
  readonly why: string;
}

/** A single refusal may be a lagging backend; an abandoned reading proves nothing now. */
const MIN_FAILURES = 3;
const FORGET_AFTER_MS = 5 * 60_000;
const MAX_MESSAGE_CHARACTERS = 300;

/** Failures of repeated chain readings, by name. Only a success ends one, whatever the cause. */
export class Readings {
  readonly #failing = new Map<string, Failing>();
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #patienceMs: number;

  constructor(clock: Pick<Clock, 'monotonic'>, blockTimeMs: number) {
    this.#clock = clock;
    this.#patienceMs = chainPatienceMs(blockTimeMs);
  }

  succeeded(name: string): void {
    this.#failing.delete(name);
  }

  failed(name: string, why: string): void {
    const now = this.#clock.monotonic();
    const before = this.#current(name, now);
    const times = (before?.times ?? 0) + 1;
    this.#failing.set(name, { since: before?.since ?? now, at: now, times, why: cutText(why, MAX_MESSAGE_CHARACTERS) });
  }

  problem(): string | null {
    if (this.#failing.size === 0) return null;
    const now = this.#clock.monotonic();
    for (const name of this.#failing.keys()) {
      const failing = this.#current(name, now);
      if (failing !== undefined && failing.times >= MIN_FAILURES && now - failing.since >= this.#patienceMs)
        return `${name} cannot be read: ${failing.why}`;
    }
    return null;
  }

  #current(name: string, now: number): Failing | undefined {
    const failing = this.#failing.get(name);
    if (failing === undefined || now - failing.at <= FORGET_AFTER_MS) return failing;
    this.#failing.delete(name);
    return undefined;
  }
}
