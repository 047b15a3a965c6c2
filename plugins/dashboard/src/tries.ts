import type { Clock } from '@causeway/core';

const WINDOW_MS = 15 * 60_000;
const MAX_REMEMBERED = 10_000;

interface Window {
  readonly ends: number;
  failed: number;
}

/** Counts failed sign-ins by network. Bounded: beyond 10,000 networks the oldest is forgotten. */
export class Tries {
  readonly #most: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #windows = new Map<string, Window>();

  constructor(most: number, clock: Pick<Clock, 'monotonic'>) {
    this.#most = most;
    this.#clock = clock;
  }

  /** Seconds until the network may try again; 0: now. Also a right key waits. */
  waitS(network: string): number {
    const window = this.#current(network);
    if (window === undefined || window.failed < this.#most) return 0;
    return Math.max(1, Math.ceil((window.ends - this.#clock.monotonic()) / 1_000));
  }

  failed(network: string): void {
    const window = this.#current(network) ?? { ends: this.#clock.monotonic() + WINDOW_MS, failed: 0 };
    window.failed += 1;
    this.#windows.set(network, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MAX_REMEMBERED && oldest !== undefined) this.#windows.delete(oldest);
  }

  #current(network: string): Window | undefined {
    const window = this.#windows.get(network);
    if (window && this.#clock.monotonic() < window.ends) return window;
    this.#windows.delete(network);
    return undefined;
  }
}
