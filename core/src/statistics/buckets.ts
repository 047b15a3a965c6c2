/** How requests ended in one span of time. */
export interface Bucket {
  /** Begin of the span, Unix milliseconds. */
  readonly at: number;
  readonly fills: number;
  readonly refunds: number;
  readonly failures: number;
  /** Of fills, micro-USD. */
  readonly volume: number;
  /** Fills by time: `BOUNDS_MS` has the upper bounds. */
  readonly times: readonly number[];
}

export interface Outcome {
  readonly status: 'success' | 'refund' | 'failure';
  readonly at: number;
  /** Micro-USD; null: not priced. */
  readonly amountUsd: number | null;
  /** From first sight of the deposit to inclusion of the fill; null: unknown. */
  readonly fillTimeMs: number | null;
}

/** Upper bounds of fill times; the last bucket has none. */
export const BOUNDS_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 256_000, 1_024_000] as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Bounded: at most so many buckets are kept of each. */
export const SPANS = {
  hour: { bucketMs: MINUTE_MS, most: 60 },
  day: { bucketMs: 15 * MINUTE_MS, most: 96 },
  month: { bucketMs: 6 * HOUR_MS, most: 124 },
} as const;

export type Span = keyof typeof SPANS;
export type Series = Readonly<Record<Span, readonly Bucket[]>>;

export const EMPTY_SERIES: Series = Object.freeze({ hour: [], day: [], month: [] });

/** Counts an outcome in each span, and drops what is older than the span. */
export function counted(series: Series, outcome: Outcome): Series {
  return {
    hour: inSpan('hour', series.hour, outcome),
    day: inSpan('day', series.day, outcome),
    month: inSpan('month', series.month, outcome),
  };
}

/** Buckets that are not older than the span, seen from now. */
export function recent(span: Span, buckets: readonly Bucket[], now: number): readonly Bucket[] {
  const { bucketMs, most } = SPANS[span];
  return buckets.filter(({ at }) => at > now - bucketMs * most);
}

/**
 * The time that a share of the fills took at most, as the upper bound of its bucket; null without fills.
 *
 * @param share between 0 and 1.
 */
export function withinMs({ times }: Pick<Bucket, 'times'>, share: number): number | null {
  const total = times.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const [n, count] of times.entries()) {
    seen += count;
    if (seen >= total * share) return BOUNDS_MS[n] ?? BOUNDS_MS[BOUNDS_MS.length - 1] ?? null;
  }
  return null;
}

function inSpan(span: Span, buckets: readonly Bucket[], outcome: Outcome): readonly Bucket[] {
  const { bucketMs, most } = SPANS[span];
  const at = Math.floor(outcome.at / bucketMs) * bucketMs;
  const known = buckets.find((bucket) => bucket.at === at) ?? empty(at);
  const others = buckets.filter((bucket) => bucket.at !== at);
  return [...others, added(known, outcome)].sort((a, b) => a.at - b.at).slice(-most);
}

function empty(at: number): Bucket {
  return { at, fills: 0, refunds: 0, failures: 0, volume: 0, times: [] };
}

function added(bucket: Bucket, { status, amountUsd, fillTimeMs }: Outcome): Bucket {
  if (status === 'refund') return { ...bucket, refunds: bucket.refunds + 1 };
  if (status === 'failure') return { ...bucket, failures: bucket.failures + 1 };
  return {
    ...bucket,
    fills: bucket.fills + 1,
    volume: bucket.volume + (amountUsd ?? 0),
    times: fillTimeMs === null ? bucket.times : timed(bucket.times, fillTimeMs),
  };
}

function timed(times: readonly number[], ms: number): readonly number[] {
  const found = BOUNDS_MS.findIndex((bound) => ms <= bound);
  const at = found === -1 ? BOUNDS_MS.length : found;
  return Array.from({ length: Math.max(times.length, at + 1) }, (_, n) => (times[n] ?? 0) + (n === at ? 1 : 0));
}
