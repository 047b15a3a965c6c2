import type { Clock } from '../contract/clock.js';
import type { UnixMs } from '../contract/ids.js';
import { convertPrice } from './price-text.js';

/** What one provider says about one asset. */
export interface PriceAnswer {
  /** Scaled by 10^18: USD, or whole units of the asset `in`. Above zero. */
  readonly price: bigint;
  /** Name of the asset that it is told in, when not USD. */
  readonly in?: string;
  /** The time that the price is of. */
  readonly at: UnixMs;
  /** Until when it may be used. */
  readonly freshUntil: UnixMs;
}

/**
 * A price with its end by both clocks: the wall's may jump, the other one may stand still while the machine sleeps.
 * Whichever comes first counts, so that no clock makes a price younger.
 */
export interface Word {
  readonly price: bigint;
  readonly at: UnixMs;
  readonly endsAt: UnixMs;
  readonly endsMonotonic: number;
  /** Monotonic time at which it was heard. */
  readonly heard: number;
}

export function heardNow({ price, at, freshUntil }: PriceAnswer, clock: Clock): Word {
  const [now, heard] = [clock.now(), clock.monotonic()];
  return { price, at: Math.min(at, now), endsAt: freshUntil, endsMonotonic: heard + freshUntil - now, heard };
}

export function isFresh(word: Word, clock: Clock): boolean {
  return clock.now() <= word.endsAt && clock.monotonic() <= word.endsMonotonic;
}

/** A price that rests on several words: as old as the oldest, good for as long as all of them, heard with the newest. */
export function restingOn(words: readonly Word[], price: bigint): Word {
  return {
    price,
    at: Math.min(...words.map(({ at }) => at)),
    endsAt: Math.min(...words.map(({ endsAt }) => endsAt)),
    endsMonotonic: Math.min(...words.map(({ endsMonotonic }) => endsMonotonic)),
    heard: Math.max(...words.map(({ heard }) => heard)),
  };
}

/** A word that was told in another asset. It was heard when it was: the other asset's news are not this one's. */
export function inUsd(word: Word, base: Word): Word | undefined {
  const price = convertPrice(word.price, base.price);
  return price === 0n ? undefined : { ...restingOn([word, base], price), heard: word.heard };
}
