import type { Heads } from '../watch/heads.js';

/**
 * The chain's own time as far as anybody told, Unix seconds: what is signed by an older one runs out sooner than it should. An account
 * that was read since the head may have told a later one, as after the chain stood still.
 */
export class ChainTime {
  readonly #feed: Heads;
  #told = 0;
  /** With which head that was told: a later one knows better, and whoever told too late a time is not believed for ever. */
  #with: Heads['current'];

  constructor(feed: Heads) {
    this.#feed = feed;
  }

  /** An account was read as of a block of this time. */
  saw(utime: number): void {
    const { current } = this.#feed;
    this.#told = this.#with === current ? Math.max(this.#told, utime) : utime;
    this.#with = current;
  }

  now(): number {
    const { current } = this.#feed;
    return Math.max(this.#with === current ? this.#told : 0, current?.time ?? 0);
  }
}
