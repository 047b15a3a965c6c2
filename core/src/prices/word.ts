import type { Clock } from '../contract/clock.js';
import type { UnixMs } from '../contract/ids.js';
import { convertPrice } from './price-text.js';

export interface PriceAnswer {
  /** Scaled by 10^18: USD, or whole units of the asset `in`. Above zero. */
  readonly price: bigint;
  /** Asset it is quoted in, if not USD. */
  readonly in?: string;
  /** Time of the price. */
  readonly at: UnixMs;
  readonly freshUntil: UnixMs;
}

/**
 * A price with its expiry by both clocks: the wall clock may jump, the monotonic one may stop during sleep. The
 * earlier expiry counts.
 */
export interface Word {
  readonly price: bigint;
  readonly at: UnixMs;
  readonly endsAt: UnixMs;
  readonly endsMonotonic: number;
  /** Monotonic time of receipt. */
  readonly heard: number;
}

export function heardNow({ price, at, freshUntil }: PriceAnswer, clock: Clock): Word {
  const [now, heard] = [clock.now(), clock.monotonic()];
  return { price, at: Math.min(at, now), endsAt: freshUntil, endsMonotonic: heard + freshUntil - now, heard };
}

export function isFresh(word: Word, clock: Clock): boolean {
  return clock.now() <= word.endsAt && /* guard: price-age */ clock.monotonic() <= word.endsMonotonic;
}

/** A price based on several reports: age of the oldest, earliest expiry, receipt time of the newest. */
export function restingOn(words: readonly Word[], price: bigint): Word {
  return {
    price,
    at: Math.min(...words.map(({ at }) => at)),
    endsAt: Math.min(...words.map(({ endsAt }) => endsAt)),
    endsMonotonic: Math.min(...words.map(({ endsMonotonic }) => endsMonotonic)),
    heard: Math.max(...words.map(({ heard }) => heard)),
  };
}

/** Keeps its receipt time: a new price of the other asset is no new report about this one. */
export function inUsd(word: Word, base: Word): Word | undefined {
  const price = convertPrice(word.price, base.price);
  return price === 0n ? undefined : { ...restingOn([word, base], price), heard: word.heard };
}
