import type { Heads } from '../watch/heads.js';

/**
 * The chain's own time as far as anybody told, Unix seconds: what is signed by an older one runs out sooner than it should. An account
 * that was read since the head may have told a later one, as after the chain stood still.
 */
export class ChainTime {
  readonly #feed: Heads;
  #told = 0;

  constructor(feed: Heads) {
    this.#feed = feed;
  }

  /** An account was read as of a block of this time. */
  saw(utime: number): void {
    this.#told = Math.max(this.#told, utime);
  }

  now(): number {
    return Math.max(this.#told, this.#feed.current?.time ?? 0);
  }
}
