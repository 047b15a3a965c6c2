import { LRUCache } from 'lru-cache';
import type { Clock } from '../contract/clock.js';
import type { RateGroup } from './route.js';

export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

export type Tier = 'default' | 'elevated';

/** By group and tier; an absent entry has no limit. */
export type Rates = Readonly<Partial<Record<Exclude<RateGroup, 'free'>, Readonly<Partial<Record<Tier, Rate>>>>>>;

export interface Standing {
  readonly rate: Rate;
  readonly allowed: boolean;
  readonly remaining: number;
  /** Seconds until the full rate is available again; at least 1. */
  readonly resetIn: number;
}

/** A set of callers that share a multiple of one caller's rate. */
export interface Crowd {
  readonly party: string;
  readonly times: number;
}

/** Counts a request; null if there is no limit. @param crowds that contain the caller: they must allow it too. */
export type RateLimits = (group: RateGroup, tier: Tier, caller: string, crowds?: readonly Crowd[]) => Standing | null;

/** Maximum callers remembered; beyond that the least recent one is forgotten. */
const MAX_REMEMBERED_CALLERS = 50_000;

interface Window {
  readonly ends: number;
  used: number;
}

/**
 * Fixed windows from a caller's first request: at most twice the rate across the end of one. Counts are per process
 * and bounded.
 */
export function createRateLimits(
  rates: Rates,
  clock: Pick<Clock, 'monotonic'>,
  legacy: (rate: Rate) => Rate = (rate) => rate,
): RateLimits {
  const windows = new LRUCache<string, Window>({ max: MAX_REMEMBERED_CALLERS });
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
    // Refused requests are not counted: a caller that keeps trying is admitted when its window ends.
    if (!spent) for (const { window } of counted) window.used += 1;
    const remaining = spent ? 0 : Math.min(...counted.map(({ left }) => left - 1));
    const ends = (spent ?? counted[0])?.window.ends ?? now;
    // Never more than the window: with a fractional clock the sum can exceed it slightly.
    const resetIn = Math.min(rate.seconds, Math.max(1, Math.ceil((ends - now) / 1000)));
    return { rate, allowed: !spent, remaining, resetIn };
  };
}

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10). */
export function rateHeaders(
  group: RateGroup,
  { rate, remaining, resetIn }: Standing,
): Readonly<Record<'RateLimit-Policy' | 'RateLimit', string>> {
  return {
    'RateLimit-Policy': `"${group}";q=${rate.requests};w=${rate.seconds}`,
    RateLimit: `"${group}";r=${remaining};t=${resetIn}`,
  };
}
