import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiDeps } from '../../src/api/index.js';
import type { Clock, RequestRow } from '../../src/contract/index.js';
import { StoreUnavailableError } from '../../src/contract/store.js';
import { EVENTS_IN_MEMORY } from '../../src/events/feed/feed.js';
import { type Asked, type Block, openStream, type Reader } from './support/event-stream.js';
import { manyEvents } from './support/many-events.js';
import { requestOf } from './support/rows.js';
import { API_KEY, type RunningApi, runningApi, withKey } from './support/running-api.js';
import { becomes, connect } from './support/socket.js';

const opened: RunningApi[] = [];
const readers: Reader[] = [];
const ticks: { readonly ms: number; readonly task: () => void }[] = [];
/** Open streams by the service's metrics. */
const open = new Map<string, number>();
let note: (name: string, count: number) => void = () => undefined;
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.leave();
  for (const api of opened.splice(0)) {
    await api.api.close();
    await api.close();
  }
  ticks.splice(0);
});

/** Periodic work runs on a test's request. */
const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      const end = () => {
        clearTimeout(timer);
        resolve();
      };
      signal?.addEventListener('abort', end, { once: true });
    }),
  every: (ms, task) => {
    ticks.push({ ms, task });
    return () => undefined;
  },
};
function tick(ms: number): void {
  for (const one of ticks) if (one.ms === ms) one.task();
}

async function service(
  websocket: ApiDeps['options']['websocket'] = {},
  more: Partial<ApiDeps['options']> = {},
): Promise<RunningApi> {
  const options = { anonymousRead: 'off' as const, rateLimits: {}, corsOrigins: ['*'], trustedProxies: [] };
  const gauges = { count: () => undefined, observe: () => undefined };
  const metrics = { ...gauges, gauge: (name: string, _: string, count: number) => note(name, count) };
  const api = await runningApi({ clock, metrics, options: { ...options, ...more, websocket } });
  note = (name, count) => void (name === 'event_streams' && open.set(api.url, count));
  opened.push(api);
  return api;
}

async function reader(api: RunningApi, asked?: Asked): Promise<Reader> {
  const one = await openStream(api, asked);
  readers.push(one);
  return one;
}

async function begun(api: RunningApi, asked?: Asked): Promise<Reader> {
  const one = await reader(api, asked);
  await expect.poll(() => one.lastId()).not.toBe('');
  return one;
}

async function next(one: Reader, count: number): Promise<Block[]> {
  const blocks: Block[] = [];
  while (blocks.length < count) blocks.push(await one.next());
  return blocks;
}

const own = (api: RunningApi, row: Partial<RequestRow> = {}) => requestOf(api, {}, { keyId: 'key-1', ...row });
const from = (first: number, count: number) => Array.from({ length: count }, (_, n) => `${first + n}`);

async function keyBecomes(api: RunningApi, set: object): Promise<void> {
  const row = await api.store.apiKey('key-1');
  if (!row) throw new Error('no key');
  const changes = [{ op: 'update', table: 'apiKeys', key: { id: row.id }, version: row.version, set }] as const;
  expect(await api.store.apply({ name: 'test', changes })).toEqual({ ok: true });
}

describe('the event stream', () => {
  it('reports the requests of its key from now on, each in the words of the websocket', async () => {
    const api = await service();
    const [mine, other] = [await own(api), await requestOf(api, { amount: '200000000' })];
    await becomes(api, mine.id, 'submitted');
    const socket = await connect(api, `/ws?apiKey=${API_KEY}`);
    socket.ask({ key: 'own' });
    await next({ next: () => socket.next() } as never, 2);
    const one = await begun(api);
    expect(one.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(one.response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(one.lastId()).toBe('1');
    await becomes(api, other.id, 'success');
    await becomes(api, mine.id, 'success');
    const frame = await socket.next();
    expect(await one.next()).toEqual({ event: 'message', id: '3', data: frame });
    expect(frame).toMatchObject({
      event: 'request.status.updated',
      position: 3,
      sequence: 3,
      data: { status: 'success' },
    });
    expect(await one.within(100)).toEqual([]);
    socket.socket.terminate();
  });

  it('goes on where the client was, by the header of browsers or by the query, of which the header is the later', async () => {
    const api = await service();
    const { id } = await own(api);
    await manyEvents(api, id, 6);
    const key = `apiKey=${API_KEY}`;
    const asked: readonly (readonly [Asked, number])[] = [
      [{ headers: { 'x-api-key': API_KEY, 'last-event-id': '4' } }, 5],
      [{ headers: {}, search: `?${key}&lastEventId=3` }, 4],
      [{ headers: { 'last-event-id': '5' }, search: `?lastEventId=1&${key}` }, 6],
      [{ headers: { ...withKey.headers, 'last-event-id': '0' }, search: '?apiKey=wrong' }, 1],
    ];
    for (const [how, first] of asked) {
      const one = await reader(api, how);
      expect((await next(one, 7 - first)).map((block) => block.id)).toEqual(from(first, 7 - first));
      expect(await one.within(50)).toEqual([]);
    }
  });

  it('reports what is no longer in memory from the store, and then what happens, once each', async () => {
    const api = await service();
    const { id } = await own(api);
    const last = await manyEvents(api, id, EVENTS_IN_MEMORY + 600);
    const one = await reader(api, { headers: { ...withKey.headers, 'last-event-id': '0' } });
    const reported = await next(one, last);
    expect(reported.map((block) => block.id)).toEqual(from(1, last));
    expect(reported.every(({ data, id: position }) => `${data.position}` === position)).toBe(true);
    await becomes(api, id, 'success');
    expect(await one.next()).toMatchObject({ id: `${last + 1}`, data: { data: { status: 'success' } } });
    expect(await one.within(50)).toEqual([]);
  });

  it('reports what lies before the window as a gap', async () => {
    const api = await service({ window: EVENTS_IN_MEMORY + 10 });
    const { id } = await own(api);
    const last = await manyEvents(api, id, EVENTS_IN_MEMORY + 600);
    const one = await reader(api, { headers: { ...withKey.headers, 'last-event-id': '5' } });
    const to = last - EVENTS_IN_MEMORY - 10;
    expect(await one.next()).toEqual({ event: 'gap', id: `${to}`, data: { from: 5, to } });
    expect(await one.next()).toMatchObject({ event: 'message', id: `${to + 1}` });
  });

  it('notifies a client that has seen more than there is about a gap back to where the service is', async () => {
    const api = await service();
    const { id } = await own(api);
    await manyEvents(api, id, 3);
    const one = await reader(api, { headers: { ...withKey.headers, 'last-event-id': '90' } });
    expect(await one.next()).toEqual({ event: 'gap', id: '3', data: { from: 90, to: 3 } });
    await becomes(api, id, 'success');
    expect(await one.next()).toMatchObject({ id: '4' });
  });

  it('keeps connections alive, and moves the client on with the feed when others have all the events', async () => {
    const api = await service({ aliveMs: 1_234 });
    const other = await requestOf(api);
    const one = await begun(api);
    expect(one.lastId()).toBe('0');
    await manyEvents(api, other.id, 7);
    await expect
      .poll(() => {
        tick(1_234);
        return one.lastId();
      })
      .toBe('7');
    expect(await one.within(20)).toEqual([]);
  });

  it('is an answer without a body to HEAD, and leaves no place taken', async () => {
    const api = await service({ connections: 1 });
    for (let n = 0; n < 3; n += 1) {
      const head = await fetch(`${api.url}/events`, { method: 'HEAD', ...withKey });
      expect(head.status).toBe(200);
      expect(head.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(await head.text()).toBe('');
      await expect
        .poll(() =>
          openStream(api).then(
            (one) => {
              one.leave();
              return true;
            },
            () => false,
          ),
        )
        .toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  });

  it('may be read by pages of other origins', async () => {
    const api = await service();
    const one = await reader(api, { headers: { ...withKey.headers, origin: 'https://shop.example' } });
    expect(one.response.headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await fetch(`${api.url}/events`, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers.get('access-control-allow-headers')).toContain('last-event-id');
  });
});

describe('who may not read', () => {
  it('is refused as for the filter by key', async () => {
    const api = await service();
    const { body, status } = await api.call('GET', '/events');
    expect([status, body.errorCode]).toEqual([401, 'UNAUTHORIZED']);
    const guess = { headers: { 'x-api-key': 'wrong' } };
    expect((await api.call('GET', '/events?apiKey=wrong')).body).toMatchObject({ errorCode: 'UNAUTHORIZED' });
    expect((await api.call('GET', `/events?apiKey=${API_KEY}`, guess)).status).toBe(401);
    await keyBecomes(api, { scopes: '["quote"]' });
    expect((await api.call('GET', '/events', withKey)).body).toMatchObject({ errorCode: 'FORBIDDEN' });
  });

  it.each([
    ['?lastEventId=x', {}, 'lastEventId'],
    ['?lastEventId=-1', {}, 'lastEventId'],
    ['?lastEventId=', {}, 'lastEventId'],
    ['', { 'last-event-id': '1.5' }, 'Last-Event-ID'],
    ['', { 'last-event-id': '99999999999999999999' }, 'Last-Event-ID'],
    ['?apiKey=a&apiKey=b', {}, 'apiKey'],
  ])('asks for nonsense: /events%s %j', async (search, headers, field) => {
    const api = await service();
    const { body, status } = await api.call('GET', `/events${search}`, { headers: { ...withKey.headers, ...headers } });
    expect([status, body.errorData?.field]).toEqual([400, field]);
  });

  it('is one too many, of its key and network or of all, sockets and streams together', async () => {
    const api = await service({ perKeyedAddress: 2 });
    const socket = await connect(api, `/ws?apiKey=${API_KEY}`);
    const one = await begun(api);
    await expect(openStream(api)).rejects.toThrow('HTTP 429');
    await expect(connect(api, `/ws?apiKey=${API_KEY}`)).rejects.toThrow('HTTP 429');
    one.leave();
    await expect
      .poll(() =>
        reader(api).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    socket.socket.terminate();
    const full = await service({ connections: 1 });
    await begun(full);
    await expect(openStream(full)).rejects.toThrow('HTTP 503');
    await expect(connect(full)).rejects.toThrow('HTTP 503');
  });

  it('loses the stream when its key is revoked, expires or may do less', async () => {
    const api = await service({ rightsMs: 1_234 });
    for (const set of [{ scopes: '["quote"]' }, { scopes: '["*"]', expiresAt: 1 }, { expiresAt: null, revokedAt: 1 }]) {
      const one = await begun(api);
      tick(1_234);
      expect(await one.within(30)).toEqual([]);
      await keyBecomes(api, set);
      tick(1_234);
      expect(await one.next()).toMatchObject({ event: 'end', data: { errorCode: 'UNAUTHORIZED' } });
      expect(await one.ended).toBe(true);
      if ('revokedAt' in set) break;
      await keyBecomes(api, { scopes: '["*"]', expiresAt: null });
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  });

  it('comes with many wrong keys against the usual rate, and with a right one against none', async () => {
    const rateLimits = { other: { default: { requests: 2, seconds: 60 } } };
    const api = await service({}, { rateLimits });
    for (let n = 0; n < 4; n += 1) (await reader(api)).leave();
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await api.call('GET', `/events?apiKey=guess-${n}`)).status);
    expect(statuses).toEqual([401, 401, 429, 429]);
    expect((await reader(api)).response.status).toBe(200);
  });
});

describe('a feed that cannot be read', () => {
  it('ends every stream when the service stops, with a time to reconnect', async () => {
    const api = await service();
    const crowd = await Promise.all(Array.from({ length: 5 }, () => begun(api)));
    const begun0 = performance.now();
    await api.api.close();
    for (const one of crowd) {
      expect(await one.next()).toMatchObject({ event: 'end', data: { errorCode: 'SERVICE_UNAVAILABLE' } });
      expect(await one.ended).toBe(true);
      expect(one.retry()).toBeGreaterThanOrEqual(500);
      expect(one.retry()).toBeLessThanOrEqual(3_000);
    }
    expect(new Set(crowd.map((one) => one.retry())).size).toBeGreaterThan(1);
    expect(performance.now() - begun0).toBeLessThan(1_000);
    await expect(openStream(api)).rejects.toThrow('HTTP 503');
  });

  it('ends every stream when the feed cannot be read', async () => {
    const api = await service();
    const one = await begun(api);
    api.store.events = () => Promise.reject(new StoreUnavailableError('locked'));
    expect(await one.next()).toMatchObject({
      event: 'end',
      data: { errorCode: 'SERVICE_UNAVAILABLE', retriable: true },
    });
    expect(await one.ended).toBe(true);
  }, 10_000);

  it('ends a stream that cannot begin', async () => {
    const api = await service();
    api.store.feedEnd = () => Promise.reject(new StoreUnavailableError('locked'));
    const one = await reader(api);
    expect(await one.next()).toMatchObject({ event: 'end', data: { errorCode: 'SERVICE_UNAVAILABLE' } });
    expect(await one.ended).toBe(true);
  });

  it('asks clients to come again when there is too much to do: browsers never come back to a refusal', async () => {
    const api = await service({}, { load: { maxInProgress: 0, maxLoopDelayMs: 1e9 } });
    const one = await reader(api);
    expect(await one.ended).toBe(true);
    expect(one.retry()).toBeGreaterThanOrEqual(500);
    expect(one.lastId()).toBe('');
  });

  it('counts streams among nothing that is in progress', async () => {
    const api = await service({}, { load: { maxInProgress: 3, maxLoopDelayMs: 1e9 } });
    for (let n = 0; n < 6; n += 1) await begun(api);
    expect((await api.call('GET', '/intents/status/v3?requestId=0x1')).status).toBe(404);
  });

  it('drops a reader that does not take its events, and no one else', async () => {
    const api = await service({ maxBufferedBytes: 100_000 });
    const { id } = await own(api);
    const quick = await begun(api);
    const slow = request(`${api.url}/events`, { headers: withKey.headers, agent: false });
    slow.on('error', () => undefined);
    slow.on('response', (response) => response.pause());
    slow.end();
    await expect.poll(() => open.get(api.url)).toBe(2);
    let last = 0;
    // The kernel buffers an unknown amount above the bound.
    while (open.get(api.url) !== 1) {
      last = await manyEvents(api, id, 100);
      await expect.poll(() => quick.lastId(), { interval: 2 }).toBe(`${last}`);
    }
    await becomes(api, id, 'success');
    await expect.poll(() => quick.lastId()).toBe(`${last + 1}`);
    slow.destroy();
  }, 60_000);
});

it('a rotated key sees what was quoted with the one before', async () => {
  const api = await service();
  const [known] = await api.store.apiKeys();
  if (!known) throw new Error('no key');
  const secret = 'rotated-key-for-tests-0123456789';
  const row = { ...known, id: 'key-2', version: 1, hash: createHash('sha256').update(secret).digest('hex') };
  await api.store.apply({
    name: 'test',
    changes: [
      { op: 'insert', table: 'apiKeys', row },
      { op: 'update', table: 'apiKeys', key: { id: 'key-1' }, version: known.version, set: { replacedBy: 'key-2' } },
    ],
  });
  const { id } = await own(api, { referrer: 'shop' });
  const one = await begun(api, { headers: { 'x-api-key': secret } });
  await becomes(api, id, 'success');
  expect(await one.next()).toMatchObject({ data: { data: { requestId: id, referrer: 'shop' } } });
});
