import { expect, it } from 'vitest';
import type { Logger } from '../../src/contract/index.js';
import { reportBacklog } from '../../src/events/dispatch/backlog-gauges.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock } from '../../src/testing/sim-clock.js';
import { endpointRow } from '../../src/testing/store-fixtures.js';

const quiet = () => undefined;
const log: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };

it('reports what is open by channel every half minute, 0 of what is open no more, and nothing once it ended', async () => {
  const clock = new SimClock(new SeededRandom(1));
  const reported = new Map<string, number>();
  const gauge = (name: string, _: string, value: number, labels: Readonly<Record<string, string>> = {}) =>
    void reported.set([name, ...Object.values(labels)].join(' '), value);
  let open = [
    { channel: 'post', open: 3, since: clock.now() - 5_000 },
    { channel: 'mail', open: 1, since: clock.now() + 9 },
  ];
  let reads = 0;
  const store = {
    backlog: async () => {
      reads += 1;
      if (reads === 3) throw new Error('away');
      return open;
    },
    endpoints: async () => [
      endpointRow(1),
      endpointRow(2, { state: 'disabled' }),
      endpointRow(3, { state: 'removed' }),
    ],
  };
  const end = new AbortController();
  const reporting = reportBacklog({ store, clock, log, metrics: { count: quiet, gauge, observe: quiet } }, end.signal);
  await clock.advance(1_000);
  expect(Object.fromEntries(reported)).toEqual({
    ...{ 'backlog post': 3, 'oldest_undelivered_seconds post': 5 },
    ...{ 'backlog mail': 1, 'oldest_undelivered_seconds mail': 0, disabled_endpoints: 1 },
  });
  open = [{ channel: 'mail', open: 2, since: clock.now() }];
  await clock.advance(28_000);
  expect([reads, reported.get('backlog post')]).toEqual([1, 3]);
  await clock.advance(2_000);
  expect([reported.get('backlog post'), reported.get('oldest_undelivered_seconds post')]).toEqual([0, 0]);
  expect([reported.get('backlog mail'), reported.get('oldest_undelivered_seconds mail')]).toEqual([2, 29]);
  await clock.advance(61_000);
  expect(reads).toBe(4);
  end.abort();
  await clock.advance(1);
  await reporting;
  expect([reported.get('backlog mail'), reported.get('disabled_endpoints')]).toEqual([0, 0]);
});
