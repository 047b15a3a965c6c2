import { expect, it } from 'vitest';
import { MetricsHub } from '../../src/observability/metrics.js';

const text = async (use: (hub: MetricsHub) => void): Promise<string> => {
  const hub = new MetricsHub({ process: false });
  use(hub);
  return hub.text();
};

it('reports durations in seconds, under a name that says so', async () => {
  const reported = await text((hub) => hub.view('api').observe('request', 'Time', 250, { route: 'quote' }));
  expect(reported).toContain('# TYPE causeway_api_request_seconds histogram');
  expect(reported).toContain('causeway_api_request_seconds_sum{route="quote"} 0.25');
  expect(reported).toContain('causeway_api_request_seconds_bucket{le="0.25",route="quote"} 1');
  expect(reported).toContain('causeway_api_request_seconds_bucket{le="0.1",route="quote"} 0');
});

it('reports counters as totals', async () => {
  const reported = await text((hub) => hub.view('engine').count('sends', 'Sent', { chain: 1 }, 3));
  expect(reported).toContain('# TYPE causeway_engine_sends_total counter');
  expect(reported).toContain('causeway_engine_sends_total{chain="1"} 3');
});

it('gives a name one ending, whatever its caller gave it', async () => {
  const reported = await text((hub) => {
    hub.view('x').observe('commit_ms', 'Time', 1);
    hub.view('x').observe('wait_seconds', 'Time', 1);
    hub.view('x').count('seen_total', 'Seen');
  });
  expect([...reported.matchAll(/# TYPE (\S+)/g)].map(([, name]) => name)).toEqual([
    'causeway_x_commit_seconds',
    'causeway_x_wait_seconds',
    'causeway_x_seen_total',
  ]);
});
