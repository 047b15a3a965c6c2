import { LRUCache } from 'lru-cache';
import type { Clock } from '../contract/clock.js';
import type { RateGroup } from './route.js';

/** So many requests in so many seconds. */
export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

export type Tier = 'default' | 'elevated';

/** By group and tier; a group or tier that is absent has no limit. */
export type Rates = Readonly<Partial<Record<Exclude<RateGroup, 'free'>, Readonly<Partial<Record<Tier, Rate>>>>>>;

/** Where a caller stands after a request was counted. */
export interface Standing {
  readonly rate: Rate;
  readonly allowed: boolean;
  readonly remaining: number;
  /** Seconds until everything is available again; at least 1. */
  readonly resetIn: number;
}

/** Many callers together, who share so many times the rate of one. */
export interface Crowd {
  readonly party: string;
  readonly times: number;
}

/** Counts a request; null where there is no limit. @param crowds that the caller is one of: theirs must allow it, too. */
export type RateLimits = (group: RateGroup, tier: Tier, caller: string, crowds?: readonly Crowd[]) => Standing | null;

/** Callers that are remembered at once; beyond that the longest silent one starts afresh. */
const MOST = 50_000;

interface Window {
  readonly ends: number;
  used: number;
}

/**
 * Fixed windows that begin with a caller's first request: never more than the rate in one window, at most twice as much
 * around the end of one. Counts are this process's own and bounded, however many callers there are.
 */
export function createRateLimits(
  rates: Rates,
  clock: Pick<Clock, 'monotonic'>,
  /** What is left of the rate of older listings. */
  legacy: (rate: Rate) => Rate = (rate) => rate,
): RateLimits {
  const windows = new LRUCache<string, Window>({ max: MOST });
  const windowOf = (name: string, now: number, seconds: number): Window => {
    const known = windows.get(name);
    if (known && now < known.ends) return known;
    const window = { ends: now + seconds * 1000, used: 0 };
    windows.set(name, window);
    return window;
  };
  return (group, tier, caller, crowds = []) => {
    const full = group === 'free' ? undefined : rates[group]?.[tier];
    if (full === undefined) return null;
    const rate = group === 'legacyRequests' ? legacy(full) : full;
    const now = clock.monotonic();
    const counted = [{ party: caller, times: 1 }, ...crowds].map(({ party, times }) => {
      const window = windowOf(`${group} ${tier} ${party}`, now, rate.seconds);
      return { window, left: rate.requests * times - window.used };
    });
    const spent = counted.find(({ left }) => left <= 0);
    // What is refused is not counted: a caller that keeps knocking is let in again when its window ends.
    if (!spent) for (const { window } of counted) window.used += 1;
    const remaining = spent ? 0 : Math.min(...counted.map(({ left }) => left - 1));
    const ends = (spent ?? counted[0])?.window.ends ?? now;
    // Never more than the window: a clock with fractions makes its sum a hair longer.
    const resetIn = Math.min(rate.seconds, Math.max(1, Math.ceil((ends - now) / 1000)));
    return { rate, allowed: !spent, remaining, resetIn };
  };
}

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10): quota, window, what is left, until when. */
export function rateHeaders(
  group: RateGroup,
  { rate, remaining, resetIn }: Standing,
): Readonly<Record<'RateLimit-Policy' | 'RateLimit', string>> {
  return {
    'RateLimit-Policy': `"${group}";q=${rate.requests};w=${rate.seconds}`,
    RateLimit: `"${group}";r=${remaining};t=${resetIn}`,
  };
}
