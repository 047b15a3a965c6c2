import { useMemo, useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { count, countOf, duration, usdText } from '../../format.js';
import type { Statistics } from '../../generated/api.js';
import { Card } from '../../parts/card.js';
import { Show } from '../../parts/states.js';
import { useLoad } from '../../state/use-load.js';
import { Chart } from './chart.js';

const REFRESH_INTERVAL_MS = 15_000;

const PERIODS = [
  ['hour', 'Hour', 3_600_000],
  ['day', 'Day', 86_400_000],
  ['month', 'Month', 30 * 86_400_000],
] as const;

type Period = (typeof PERIODS)[number][0];
type Bucket = Statistics['hour']['buckets'][number];

const NONE = { fills: 0, refunds: 0, failures: 0, volumeUsd: '0', medianMs: null, p95Ms: null };

/** Fills, volume and latency of the last hour, day or month. */
export function StatisticsCard() {
  const [period, setPeriod] = useState<Period>('hour');
  const loaded = useLoad('statistics', (signal) => call('GET /admin/statistics', { signal }), REFRESH_INTERVAL_MS);
  return (
    <Card
      title="Fills"
      actions={
        <fieldset class="row across" aria-label="Period">
          {PERIODS.map(([value, words]) => (
            <button
              key={value}
              type="button"
              class="tight"
              aria-pressed={period === value}
              onClick={() => setPeriod(value)}
            >
              {words}
            </button>
          ))}
        </fieldset>
      }
    >
      <Show of={loaded} lines={6}>
        {(statistics) => <Charts key={period} of={statistics[period]} period={period} />}
      </Show>
    </Card>
  );
}

function Charts({ of, period }: { readonly of: Statistics['hour']; readonly period: Period }) {
  const buckets = useMemo(() => filled(of, PERIODS.find(([value]) => value === period)?.[2] ?? 0), [of, period]);
  const times = useMemo(() => buckets.map(({ at }) => at / 1000), [buckets]);
  const sum = (value: (bucket: Bucket) => number) => buckets.reduce((total, bucket) => total + value(bucket), 0);
  const volume = usdText(String(sum(({ volumeUsd }) => Number(volumeUsd))));
  const [fills, refunds, failures] = [sum((one) => one.fills), sum((one) => one.refunds), sum((one) => one.failures)];
  return (
    <>
      <p class="body muted small">
        {countOf(fills, 'fill')}, {countOf(refunds, 'refund')} and {countOf(failures, 'failure')}; {volume} filled.
      </p>
      <div class="charts">
        <Chart
          label={`Requests by time: ${fills} fills, ${refunds} refunds, ${failures} failures in this ${period}`}
          times={times}
          unit={(value) => count(Math.round(value))}
          lines={[
            { label: 'Fills', colour: '--accent', bars: true, values: buckets.map((one) => one.fills) },
            { label: 'Refunds', colour: '--warn', values: buckets.map((one) => one.refunds) },
            { label: 'Failures', colour: '--bad', values: buckets.map((one) => one.failures) },
          ]}
        />
        <Chart
          label={`Volume by time: ${volume} in this ${period}`}
          times={times}
          unit={(value) => usdText(String(Math.round(value))).replace('.00', '')}
          lines={[
            { label: 'Volume', colour: '--good', bars: true, values: buckets.map((one) => Number(one.volumeUsd)) },
          ]}
        />
        <Chart
          label={`Time from deposit to fill in this ${period}`}
          times={times}
          unit={duration}
          lines={[
            { label: 'Median', colour: '--accent', bars: true, values: buckets.map((one) => one.medianMs) },
            { label: '95 of 100', colour: '--warn', values: buckets.map((one) => one.p95Ms) },
          ]}
        />
      </div>
    </>
  );
}

/** With the empty buckets, up to now. */
function filled({ bucketMs, buckets }: Statistics['hour'], periodMs: number): readonly Bucket[] {
  const known = new Map(buckets.map((bucket) => [bucket.at, bucket]));
  const last = Math.floor(Date.now() / bucketMs) * bucketMs;
  const length = Math.round(periodMs / bucketMs);
  return Array.from({ length }, (_, n) => {
    const at = last - (length - 1 - n) * bucketMs;
    return known.get(at) ?? { at, ...NONE };
  });
}
