import type { Clock } from '../../contract/clock.js';
import { ApiError } from '../../errors/api-error.js';
import type { Rate } from '../rate-limits.js';
import type { Answer } from '../route.js';

/** Days are `YYYY-MM-DD` and begin at 00:00 UTC. */
export interface RetirementOptions {
  readonly deprecatedAt: string;
  readonly sunsetAt: string;
  /** From each day on, this percentage of the configured rate remains. */
  readonly throttle: readonly { readonly from: string; readonly percent: number }[];
  /** URL, absolute or relative to this service. */
  readonly migrationGuide: string;
}

export const RETIREMENT: RetirementOptions = {
  deprecatedAt: '2026-07-22',
  sunsetAt: '2026-11-24',
  throttle: [
    { from: '2026-08-22', percent: 75 },
    { from: '2026-09-22', percent: 50 },
    { from: '2026-10-22', percent: 25 },
  ],
  migrationGuide: '/docs#requestsV2',
};

const SUCCESSOR = '/requests/v3';

/** `deprecation` of a page. Times are ISO 8601. */
export interface Deprecation {
  readonly message: string;
  readonly deprecatedAt: string;
  /** Null if nothing is throttled before the sunset. */
  readonly throttledFrom: string | null;
  readonly sunsetAt: string;
  readonly successor: string;
  readonly migrationGuide: string;
}

export interface Retirement {
  /** `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The rate that remains now: at least one request. */
  rate(rate: Rate): Rate;
  /** Undefined before the day of deprecation. */
  notice(): Deprecation | undefined;
  /** 429 without Retry-After: waiting does not help. */
  limited(): Answer;
  /** 410 from the day of the sunset on. */
  gone(): ApiError | undefined;
}

export function createRetirement(options: RetirementOptions, clock: Pick<Clock, 'now'>): Retirement {
  const { throttle, migrationGuide } = options;
  const [deprecated, sunset] = [day(options.deprecatedAt), day(options.sunsetAt)];
  const steps = throttle.map(({ from, percent }) => ({ from: day(from), percent })).sort((a, b) => a.from - b.from);
  const dayText = (at: number) => new Date(at).toISOString().slice(0, 10);
  const where = { successor: SUCCESSOR, migrationGuide };
  const page = `<${migrationGuide}>`;
  return {
    headers: {
      Deprecation: `@${deprecated / 1000}`,
      Sunset: new Date(sunset).toUTCString(),
      Link: `${page}; rel="deprecation"; type="text/html", ${page}; rel="sunset"; type="text/html", <${SUCCESSOR}>; rel="successor-version"`,
    },
    rate: ({ requests, seconds }) => {
      const now = clock.now();
      const percent = steps.findLast(({ from }) => now >= from)?.percent ?? 100;
      return { requests: Math.max(1, Math.floor((requests * percent) / 100)), seconds };
    },
    notice: () =>
      clock.now() < deprecated
        ? undefined
        : {
            message: `This version is deprecated and ends on ${dayText(sunset)}; use ${SUCCESSOR}`,
            deprecatedAt: new Date(deprecated).toISOString(),
            throttledFrom: steps[0] === undefined ? null : new Date(steps[0].from).toISOString(),
            sunsetAt: new Date(sunset).toISOString(),
            ...where,
          },
    limited: () => ({
      status: 429,
      body: { message: `Too many requests: this version is being retired, use ${SUCCESSOR}`, ...where },
    }),
    gone: () =>
      clock.now() < sunset
        ? undefined
        : new ApiError('NOT_FOUND', `This version ended on ${dayText(sunset)}; use ${SUCCESSOR}`, where, 410),
  };
}

function day(text: string): number {
  const at = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(at)) throw new RangeError(`"${text}" is not a day`);
  return at;
}
