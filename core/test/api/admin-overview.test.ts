import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statusEvent } from '../../src/events/status-event.js';
import {
  BOUNDS_MS,
  counted,
  EMPTY_SERIES,
  type Outcome,
  recent,
  SPANS,
  withinMs,
} from '../../src/statistics/buckets.js';
import { readStatistics, recordRound } from '../../src/statistics/recorder.js';
import { holdRow, insert } from '../../src/testing/store-fixtures.js';
import { requestOf } from './support/rows.js';
import { ADMIN_KEY, API_KEY, type RunningApi, runningApi } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

const ADMIN = { headers: { 'x-admin-key': ADMIN_KEY } };

describe('GET /admin/overview', () => {
  it('is for operators alone', async () => {
    for (const path of ['/admin/overview', '/admin/statistics']) {
      expect((await api.call('GET', path)).status).toBe(401);
      expect((await api.call('GET', path, { headers: { 'x-api-key': API_KEY } })).status).toBe(401);
    }
  });

  it('counts chains, lanes, inventory, holds and unsettled requests', async () => {
    await requestOf(api, {}, { status: 'pending' });
    await api.store.apply({
      name: 'test',
      changes: [insert('holds', holdRow(1)), insert('holds', holdRow(2, { state: 'released' }))],
    });
    const { body } = await api.call('GET', '/admin/overview', ADMIN);
    expect(body.chains.map(({ id }: { id: number }) => id)).toEqual([1, 2]);
    expect(body.lanes.length).toBeGreaterThan(0);
    expect(body.queues).toEqual({ unsettled: 1, openHolds: 1, deliveries: [] });
    expect(body.inventory.find(({ symbol }: { symbol: string }) => symbol === 'ETH')).toMatchObject({ chainId: 1 });
  });
});

describe('statistics', () => {
  const DAY_MS = 86_400_000;
  const at = Date.UTC(2026, 10, 28, 9, 30);
  const fill = (change: Partial<Outcome> = {}): Outcome => ({
    ...{ status: 'success', at, amountUsd: 5_000_000, fillTimeMs: 1_500, ...change },
  });

  it('count fills, refunds, failures, volume and times per bucket, in order', () => {
    const later = fill({ at: at + 60_000, fillTimeMs: 900_000_000, amountUsd: null });
    const series = [fill(), later, fill({ status: 'refund' }), fill({ status: 'failure' })].reduce(
      counted,
      EMPTY_SERIES,
    );
    expect(
      series.hour.map(({ at: begin, fills, refunds, failures, volume }) => [begin, fills, refunds, failures, volume]),
    ).toEqual([
      [at, 1, 1, 1, 5_000_000],
      [at + 60_000, 1, 0, 0, 0],
    ]);
    expect(series.month).toHaveLength(1);
    expect(withinMs(series.month[0] ?? { times: [] }, 0.5)).toBe(2_000);
    expect(withinMs(series.month[0] ?? { times: [] }, 0.95)).toBe(BOUNDS_MS.at(-1));
    expect(withinMs({ times: [] }, 0.5)).toBeNull();
  });

  it('stay bounded, and forget what is older than their span', () => {
    let series = EMPTY_SERIES;
    for (let n = 0; n < 40 * 24 * 4; n += 1) series = counted(series, fill({ at: at + n * 15 * 60_000 }));
    for (const span of ['hour', 'day', 'month'] as const) expect(series[span]).toHaveLength(SPANS[span].most);
    expect(recent('month', series.month, at + 80 * DAY_MS)).toEqual([]);
    expect(JSON.stringify(series).length).toBeLessThan(40_000);
  });

  it('are counted once from the feed, by whichever process, and survive a restart', async () => {
    await recordRound(api.store);
    expect(await readStatistics(api.store)).toEqual(EMPTY_SERIES);
    const request = await requestOf(api, {}, { status: 'success', fillTimeMs: 700, amountUsd: 2_000_000 });
    const now = Date.now();
    const event = (n: number, status: 'pending' | 'success') =>
      insert('events', statusEvent({ ...request, status }, [], n, now));
    await api.store.apply({ name: 'test', changes: [event(1, 'pending'), event(2, 'success')] });
    await Promise.all([recordRound(api.store), recordRound(api.store)]);
    await recordRound(api.store);
    const { body } = await api.call('GET', '/admin/statistics', ADMIN);
    for (const span of ['hour', 'day', 'month'])
      expect(body[span].buckets).toMatchObject([
        { fills: 1, refunds: 0, failures: 0, volumeUsd: '2.000000', medianMs: 1_000 },
      ]);
  });
});
