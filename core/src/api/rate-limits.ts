import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { ApiOptions } from './api.js';
import type { RateGroup } from './route.js';

/** Seconds to wait, or null when the request may go on. */
export type RateLimits = (group: RateGroup, caller: string) => Promise<number | null>;

/** Requests per second and caller, by group. A rate of 0 is no limit. Counts are this process's own. */
export function createRateLimits(rates: ApiOptions['rateLimits']): RateLimits {
  const limiter = (perSecond: number) =>
    perSecond > 0 ? new RateLimiterMemory({ points: perSecond, duration: 1 }) : null;
  const limiters: Readonly<Record<RateGroup, RateLimiterMemory | null>> = {
    quotes: limiter(rates.quotesPerSecond),
    status: limiter(rates.statusPerSecond),
    requests: limiter(rates.requestsPerSecond),
    other: limiter(rates.otherPerSecond),
    free: null,
  };
  return async (group, caller) => {
    const chosen = limiters[group];
    if (!chosen) return null;
    try {
      await chosen.consume(caller);
      return null;
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal;
      return Math.max(1, Math.ceil((refusal as RateLimiterRes).msBeforeNext / 1000));
    }
  };
}
