import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../src/host/cli/index.js';
import { deliveryRow, eventRow, insert, requestId } from '../../src/testing/store-fixtures.js';
import { ADMIN_KEY, API_KEY, type RunningApi, runningApi } from '../api/support/running-api.js';
import { cliOutput } from './cli-output.js';

let api: RunningApi;
const said = cliOutput();
let endpoint: string;

beforeAll(async () => {
  api = await runningApi();
  const integrator = { id: 'integrator-1', version: 1, name: 'One', fundingAddress: null, createdAt: 1 };
  await api.store.apply({ name: 'test', changes: [insert('integrators', integrator)] });
  const body = { url: 'https://example.com/hook', description: 'shop', statuses: ['success'] };
  const made = await api.call('POST', '/webhooks/endpoints', { body, headers: { 'x-api-key': API_KEY } });
  endpoint = made.body.endpoint.id;
  const numbers = Array.from({ length: 130 }, (_, n) => n + 1);
  const changes = numbers.flatMap((n) => {
    const id = `${requestId(n)}:1`;
    const state = n === 1 ? 'failed' : 'delivered';
    const row = deliveryRow(n, { id: `${endpoint}/${id}`, endpointId: endpoint, eventId: id, state, attempts: 1 });
    return [insert('events', eventRow(n, { id, requestId: requestId(n) })), insert('deliveries', row)];
  });
  await api.store.apply({ name: 'test', changes });
});
afterAll(() => api.close());

beforeEach(() => {
  vi.stubEnv('CAUSEWAY_ADMIN_KEY', ADMIN_KEY);
});

async function webhooks(...args: readonly string[]): Promise<string> {
  said.forget();
  const code = await runCli(['webhooks', ...args, '--url', api.url]);
  return code === 0 ? said.text() : `${code} ${said.text()}`;
}

describe('causeway webhooks', () => {
  it('lists endpoints, of all integrators or of one', async () => {
    const line = `${endpoint}  https://example.com/hook  integrator-1  active  (shop)  statuses success\n`;
    expect(await webhooks('list')).toBe(line);
    expect(await webhooks('list', '--integrator', 'integrator-1')).toBe(line);
    expect(await webhooks('list', '--integrator', 'One')).toBe(line);
    expect(await webhooks('list', '--integrator', 'nobody')).toBe('no endpoints\n');
    expect(JSON.parse(await webhooks('list', '--json'))).toMatchObject({ endpoints: [{ id: endpoint }] });
  });

  it('tests one, and fails where it does not take it', async () => {
    expect(await webhooks('test', endpoint)).toMatch(/^delivered within \d+ ms\nresponse: 204\n$/);
    api.channel.outcome = { outcome: 'retry', afterMs: 0, why: 'it answers 500', answer: { status: 500, body: 'oh' } };
    expect(await webhooks('test', endpoint)).toBe('1 not delivered: it answers 500\nresponse: 500 oh\n');
    expect(await webhooks('test', 'we_0')).toMatch(/^1 .*404.*there is no endpoint we_0/s);
  });

  it('prints the log, over as many pages as it takes', async () => {
    expect((await webhooks('log', endpoint)).trim().split('\n')).toHaveLength(20);
    expect((await webhooks('log', '--limit', '120')).trim().split('\n')).toHaveLength(120);
    expect(await webhooks('log', endpoint, '--state', 'failed')).toContain(
      `failed  ${endpoint}/${requestId(1)}:1  1 attempt`,
    );
    expect((await webhooks('log', '--request', requestId(7))).trim().split('\n')).toHaveLength(1);
    expect(await webhooks('log', '--state', 'pending')).toBe('nothing\n');
    expect(await webhooks('log', '--limit', 'many')).toMatch(/^2 .*--limit must be 1 or more/s);
  });

  it('has deliveries posted again: one, or all since a time', async () => {
    const id = `${endpoint}/${requestId(1)}:1`;
    expect(await webhooks('replay', id)).toBe(`${id} is posted again\n`);
    expect(await webhooks('replay', id)).toBe(`${id} is pending already\n`);
    expect(await webhooks('replay', endpoint, '--since', '2020-01-01T00:00:00Z', '--failed')).toBe(
      '0 events are posted again\n',
    );
    expect(await webhooks('replay', endpoint)).toMatch(/^2 .*--since 24h/s);
    expect(await webhooks('replay', endpoint, '--since', 'yesterday')).toMatch(/^2 .*--since takes/s);
  });

  it('removes one', async () => {
    expect(await webhooks('remove', endpoint)).toContain('is removed');
    expect(await webhooks('list')).toBe('no endpoints\n');
  });

  it('says what it does not understand', async () => {
    expect(await webhooks('forget')).toMatch(/^2 .*use one of list, test, log, remove, replay/s);
    expect(await webhooks('test')).toMatch(/^2 .*ENDPOINT_ID is missing/s);
    expect(await webhooks('list', '--failed')).toMatch(/^2 .*webhooks list has no option --failed/s);
    expect(await webhooks('list', 'more')).toMatch(/^2 .*unexpected argument more/s);
  });
});
