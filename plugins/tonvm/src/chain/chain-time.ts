import type { Heads } from '../watch/heads.js';

/** The chain's latest known time, Unix seconds. With an older time a signed order would expire too early. */
export class ChainTime {
  readonly #feed: Heads;
  #reported = 0;
  /** The head of that time: a later head replaces it, so that a wrong late time does not last. */
  #with: Heads['current'];

  constructor(feed: Heads) {
    this.#feed = feed;
  }

  saw(utime: number): void {
    const { current } = this.#feed;
    this.#reported = this.#with === current ? Math.max(this.#reported, utime) : utime;
    this.#with = current;
  }

  now(): number {
    const { current } = this.#feed;
    return Math.max(this.#with === current ? this.#reported : 0, current?.time ?? 0);
  }
}
