import { microUsdText } from '../../domain/money.js';
import { recent, SPANS, type Span, withinMs } from '../../statistics/buckets.js';
import { readStatistics } from '../../statistics/recorder.js';
import type { ApiDeps } from '../api.js';
import { ok, type Route, route } from '../route.js';
import { OVERVIEW, STATISTICS } from '../schemas/overview.js';
import { described } from './operator-words.js';

const shared = { method: 'GET', tags: ['Operators'], rate: 'free', access: 'admin' } as const;

export function adminOverviewRoutes({
  engine,
  store,
  clock,
}: Pick<ApiDeps, 'engine' | 'store' | 'clock'>): readonly Route[] {
  return [
    route({
      ...shared,
      path: '/admin/overview',
      operationId: 'adminOverview',
      summary: 'Chains, providers, lanes, inventory, queues and limits',
      ...described('adminOverview'),
      answers: { 200: OVERVIEW },
      handle: async () => ok(await engine.overview()),
    }),
    route({
      ...shared,
      path: '/admin/statistics',
      operationId: 'adminStatistics',
      summary: 'Fills, volume and fill times of the last hour, day and month',
      ...described('adminStatistics'),
      answers: { 200: STATISTICS },
      handle: async () => {
        const series = await readStatistics(store);
        const now = clock.now();
        const view = (span: Span) => ({
          bucketMs: SPANS[span].bucketMs,
          buckets: recent(span, series[span], now).map((bucket) => {
            const { at, fills, refunds, failures, volume } = bucket;
            const times = { medianMs: withinMs(bucket, 0.5), p95Ms: withinMs(bucket, 0.95) };
            return { at, fills, refunds, failures, volumeUsd: microUsdText(BigInt(volume)), ...times };
          }),
        });
        return ok({ hour: view('hour'), day: view('day'), month: view('month') });
      },
    }),
  ];
}
