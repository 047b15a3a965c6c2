import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ApiKeyRow, RequestRow } from '../../src/contract/store-rows.js';
import { requestOf } from './support/rows.js';
import { API_KEY, type RunningApi, runningApi, USER } from './support/running-api.js';
import { becomes, type Client, connect } from './support/socket.js';

const UUID = '6a1b1a44-8c4a-4b8e-9d5e-0f4a3c2b1d0e';
/** Past the key cache. */
const LATER_MS = 10_001;

let api: RunningApi;
let one: Client;
let request: RequestRow;
let offset = 0;
let tasks: (() => void)[] = [];

beforeEach(async () => {
  [offset, tasks] = [0, []];
  api = await runningApi({
    clock: {
      now: () => Date.now() + offset,
      monotonic: () => performance.now() + offset,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          const timer = setTimeout(resolve, ms);
          signal?.addEventListener('abort', () => {
            clearTimeout(timer);
            resolve();
          });
        }),
      every: (_, task) => {
        tasks.push(task);
        return () => undefined;
      },
    },
  });
  request = await requestOf(api, {}, { user: USER });
  const { facts } = api.b.adapter;
  Object.assign(api.b.adapter, { facts: { ...facts, private: UUID } });
  await keyBecomes({ privateChains: JSON.stringify([UUID]) });
  one = await connect(api, `/ws?apiKey=${API_KEY}`);
  await one.next();
  one.ask({ user: USER });
  await one.next();
});
afterEach(async () => {
  one.socket.terminate();
  await api.api.close();
  await api.close();
});

async function keyBecomes(set: Partial<ApiKeyRow>): Promise<void> {
  const row = await api.store.apiKey('key-1');
  if (!row) throw new Error('no key');
  const changes = [{ op: 'update', table: 'apiKeys', key: { id: row.id }, version: row.version, set }] as const;
  expect(await api.store.apply({ name: 'test', changes })).toEqual({ ok: true });
}

function later(): void {
  offset += LATER_MS;
  for (const task of tasks) task();
}

it('a socket is informed of a private chain while its key has the grant', async () => {
  later();
  expect(await one.within(200)).toEqual([]);
  await becomes(api, request.id, 'success');
  expect((await one.next()).data).toMatchObject({ requestId: request.id });
});

it.each([
  ['a private chain', { privateChains: '[]' }],
  ['the scope that lists', { scopes: '["quote"]' }],
])('a socket is closed when %s is taken away from its key', async (_, set) => {
  await keyBecomes(set);
  later();
  expect(await Promise.race([one.closed, one.within(3_000)])).toBe(1008);
});

it('a socket stays when its key is granted more', async () => {
  await keyBecomes({ scopes: '["*","quote"]', privateChains: JSON.stringify([UUID, UUID.replace('6', '7')]) });
  later();
  const ended = await Promise.race([one.closed, one.within(300)]);
  expect(ended).toEqual([]);
});
