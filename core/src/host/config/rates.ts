import type { Rate, Rates } from '../../api/index.js';
import type { RateLimitOptions } from './service-options.js';

export const RATE_PATTERN = '^(off|[1-9]\\d{0,8}/(s|min|h))$';

const SECONDS = { s: 1, min: 60, h: 3_600 } as const;

/** `50/min`, already matched by RATE_PATTERN; undefined for `off`. */
function rateOf(text: string): Rate | undefined {
  const match = /^(\d+)\/(s|min|h)$/.exec(text);
  if (!match) return undefined;
  return { requests: Number(match[1]), seconds: SECONDS[match[2] as keyof typeof SECONDS] };
}

/** The short `…PerSecond` keys override both tiers; 0 there means no limit. */
export function ratesOf(options: RateLimitOptions): Rates {
  const pair = (short: number | undefined, plain: string, elevated = plain) => {
    const [first, second] = short === undefined ? [plain, elevated] : [`${short}/s`, `${short}/s`];
    const [a, b] = short === 0 ? [undefined, undefined] : [rateOf(first), rateOf(second)];
    return { ...(a ? { default: a } : {}), ...(b ? { elevated: b } : {}) };
  };
  const { default: plain, elevated } = options;
  return {
    quotes: pair(options.quotesPerSecond, plain.quotes, elevated.quotes),
    requests: pair(options.requestsPerSecond, plain.requests, elevated.requests),
    legacyRequests: pair(options.requestsPerSecond, plain.legacyRequests, elevated.legacyRequests),
    other: pair(options.otherPerSecond, plain.other, elevated.other),
    status: pair(options.statusPerSecond, options.status),
  };
}
