import { connect as dial } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { ApiDeps } from '../../src/api/index.js';
import { SOCKET_LIMITS } from '../../src/api/ws/limits.js';
import { StoreUnavailableError } from '../../src/contract/store.js';
import { requestOf } from './support/rows.js';
import { API_KEY, type RunningApi, runningApi } from './support/running-api.js';
import { becomes, type Client, connect } from './support/socket.js';

const ticks: (() => void)[] = [];
const opened: RunningApi[] = [];
/** Open sockets by the service's metrics. */
const open = new Map<string, number>();
const clients: Client[] = [];
const forwardedSockets: WebSocket[] = [];
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.terminate();
  for (const socket of forwardedSockets.splice(0)) socket.terminate();
  for (const api of opened.splice(0)) {
    await api.api.close();
    await api.close();
  }
});

let gauge = (_: number): unknown => undefined;

async function service(
  websocket: ApiDeps['options']['websocket'] = {},
  corsOrigins = ['*'],
  trustedProxies: readonly string[] = [],
): Promise<RunningApi> {
  const api = await runningApi({
    options: { anonymousRead: 'off', rateLimits: {}, corsOrigins, trustedProxies, websocket },
    metrics: {
      ...{ count: () => undefined, observe: () => undefined },
      gauge: (name, _, count) => void (name === 'websockets' && gauge(count)),
    },
    // Pings on request.
    clock: {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          const timer = setTimeout(resolve, ms);
          signal?.addEventListener('abort', () => {
            clearTimeout(timer);
            resolve();
          });
        }),
      every: (ms, task) => {
        if (ms === websocket.pingMs) ticks.push(task);
        return () => undefined;
      },
    },
  });
  opened.push(api);
  gauge = (count) => open.set(api.url, count);
  return api;
}

/** The status of the answer to an upgrade that a proxy forwards for this address; it stays open. */
function forwarded(api: RunningApi, address: string, path = '/ws'): Promise<number> {
  const headers = { 'x-forwarded-for': address };
  const socket = new WebSocket(api.url.replace('http', 'ws') + path, { headers });
  forwardedSockets.push(socket);
  return new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
    socket.once('open', () => resolve(101));
  });
}

async function client(api: RunningApi, path?: string): Promise<Client> {
  const one = await connect(api, path);
  clients.push(one);
  await one.next();
  return one;
}

describe('limits of the websocket', () => {
  it.each([
    ['without a key', '/ws', { perAddress: 1, perKeyedAddress: 50 }],
    ['with a key', `/ws?apiKey=${API_KEY}`, { perAddress: 50, perKeyedAddress: 1 }],
  ])('hold for the networks around an IPv6 address, %s', async (_, path, limits) => {
    const api = await service({ ...limits, connections: 24 }, ['*'], ['127.0.0.1']);
    const from = (address: string) => forwarded(api, address, path);
    // One customer has as many networks as it likes.
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1) statuses.push(await from(`2001:db8:0:${n}::1`));
    expect(statuses.filter((status) => status === 101)).toHaveLength(4);
    expect(new Set(statuses)).toEqual(new Set([101, 429]));
    for (let n = 1; n < 16; n += 1) statuses.push(await from(`2001:db8:0:${(n * 256).toString(16)}::1`));
    expect(statuses.filter((status) => status === 101)).toHaveLength(16);
    expect(await from('2001:db8:1::1'), 'another customer').toBe(101);
    expect(await from('192.0.2.1')).toBe(101);
  });

  it('lets so many sockets in per address, and counts those that left no more', async () => {
    const api = await service({ perAddress: 2 });
    const one = await client(api);
    await client(api);
    await expect(connect(api)).rejects.toThrow('HTTP 429');
    one.socket.close();
    await one.closed;
    await expect
      .poll(() =>
        client(api).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
  });

  it('counts those of a key apart, and lets more of them in', async () => {
    const api = await service({ perAddress: 1, perKeyedAddress: 3 });
    await client(api);
    await expect(connect(api)).rejects.toThrow('HTTP 429');
    const keyed = `/ws?apiKey=${API_KEY}`;
    const [one] = [await client(api, keyed), await client(api, keyed), await client(api, keyed)];
    await expect(connect(api, keyed)).rejects.toThrow('HTTP 429');
    await expect(connect(api)).rejects.toThrow('HTTP 429');
    one.socket.close();
    await one.closed;
    await expect
      .poll(() =>
        client(api, keyed).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await expect(connect(api, keyed)).rejects.toThrow('HTTP 429');
  });

  it('gives nothing to a key that is none, and leaves no place taken behind it', async () => {
    const api = await service({ perAddress: 3, perKeyedAddress: 9 });
    const refused = (n: number) => connect(api, `/ws?apiKey=wrong-${n}`).catch((error: Error) => error.message);
    for (let n = 0; n < 20; n += 1) await expect.poll(() => refused(n)).toBe('HTTP 401');
    const one = await client(api);
    expect(one.socket.readyState).toBe(one.socket.OPEN);
  });

  it('lets the last socket of all in with a key, too', async () => {
    const api = await service({ connections: 1 });
    const one = await client(api, `/ws?apiKey=${API_KEY}`);
    expect(one.socket.readyState).toBe(one.socket.OPEN);
  });

  it('lets 2,000 sockets of a key and an address in unless configured otherwise, of 200 without a key', () => {
    expect(SOCKET_LIMITS).toMatchObject({ perAddress: 200, perKeyedAddress: 2_000 });
  });

  it('lets so many sockets in altogether', async () => {
    const api = await service({ connections: 1 });
    await client(api);
    await expect(connect(api)).rejects.toThrow('HTTP 503');
  });

  it('takes so many subscriptions per socket', async () => {
    const api = await service({ subscriptions: 1 });
    const [a, b] = [await requestOf(api), await requestOf(api, { amount: '200000000' })];
    const one = await client(api);
    one.ask({ id: a.id });
    await one.next();
    await one.next();
    one.ask({ id: b.id });
    expect(await one.next()).toMatchObject({ type: 'subscribe', error: { errorCode: 'RATE_LIMITED' } });
    await becomes(api, a.id, 'success');
    expect(await one.next()).toMatchObject({ data: { status: 'success' } });
  });

  it('closes sockets that send too many frames, or too large ones', async () => {
    const api = await service({ frames: 5, maxFrameBytes: 200 });
    const { id } = await requestOf(api);
    const one = await client(api);
    for (let n = 0; n < 6; n += 1) one.ask({ id });
    expect(await one.closed).toBe(1008);
    const two = await client(api);
    two.send('x'.repeat(201));
    expect(await two.closed).toBe(1009);
  });

  it('sends a client away that does not take its frames, and no one else', async () => {
    const api = await service({ maxBufferedBytes: 20_000, frames: 1e6 });
    const { id } = await requestOf(api);
    const [slow, quick] = [await client(api), await client(api)];
    quick.ask({ id });
    await quick.next();
    await quick.next();
    slow.ask({ id });
    await slow.next();
    await slow.next();
    slow.socket.pause();
    // The kernel buffers an unknown amount above the bound.
    while (open.get(api.url) !== 1) {
      for (let n = 0; n < 1_000; n += 1) slow.send('?');
      await sleep(1);
    }
    await becomes(api, id, 'success');
    expect(await quick.next()).toMatchObject({ data: { status: 'success' } });
  }, 60_000);

  it('ends a socket whose client answers no ping', async () => {
    const api = await service({ pingMs: 1_234 });
    const [dead, alive] = [await client(api), await client(api)];
    dead.socket.pong = () => undefined;
    Object.assign(dead.socket, { _autoPong: false });
    const ping = () => ticks.at(-1)?.();
    ping();
    await new Promise((resolve) => alive.socket.once('ping', resolve));
    await alive.within(50);
    ping();
    expect(await dead.closed).toBe(1006);
    await alive.within(50);
    expect(alive.socket.readyState).toBe(alive.socket.OPEN);
  });

  it('ends a socket whose key was revoked', async () => {
    const api = await service({ pingMs: 1_234 });
    const one = await client(api, `/ws?apiKey=${API_KEY}`);
    const keys = await api.store.apiKeys();
    await api.store.apply({
      name: 'test',
      changes: keys.map(({ id, version }) => ({
        ...{ op: 'update', table: 'apiKeys', key: { id }, version },
        set: { revokedAt: 1 },
      })) as never,
    });
    // Keys are cached for ten seconds.
    const now = performance.now.bind(performance);
    performance.now = () => now() + 11_000;
    try {
      ticks.at(-1)?.();
      expect(await one.closed).toBe(1008);
    } finally {
      performance.now = now;
    }
  });
});

describe('a feed that cannot be read', () => {
  it('closes every socket when the feed cannot be read, so that clients poll', async () => {
    const api = await service();
    const { id } = await requestOf(api);
    const one = await client(api);
    one.ask({ id });
    await one.next();
    await one.next();
    api.store.events = () => Promise.reject(new StoreUnavailableError('locked'));
    expect(await one.closed).toBe(1011);
  }, 10_000);

  it('closes a socket whose status cannot be read', async () => {
    const api = await service();
    const { id } = await requestOf(api);
    const one = await client(api);
    api.store.views = () => Promise.reject(new StoreUnavailableError('locked'));
    one.ask({ id });
    expect(await one.next()).toMatchObject({ type: 'subscribe', error: { errorCode: 'SERVICE_UNAVAILABLE' } });
    expect(await one.closed).toBe(1011);
  });

  it('sends everyone away when the service stops', async () => {
    const api = await service();
    const one = await client(api);
    await api.api.close();
    expect(await one.closed).toBe(1001);
    await expect(connect(api)).rejects.toThrow('HTTP 503');
  });
});

describe('frames that mean nothing', () => {
  it.each([
    ['', 'frame'],
    ['[]', 'frame'],
    ['null', 'frame'],
    [{ type: 'shout', event: 'request.status.updated', filters: { key: 'own' } }, 'type'],
    [{ type: 'subscribe', event: 'moon', filters: { key: 'own' } }, 'event'],
    [{ type: 'subscribe', event: 'request.status.updated' }, 'filters'],
    [{ type: 'subscribe', event: 'request.status.updated', filters: [] }, 'filters'],
    [{ type: 'subscribe', event: 'request.status.updated', filters: { id: 1 } }, 'filters.id'],
    [{ type: 'subscribe', event: 'request.status.updated', filters: { user: '' } }, 'filters.user'],
    [{ type: 'subscribe', event: 'request.status.updated', filters: { key: 'all' } }, 'filters.key'],
    [{ type: 'subscribe', event: 'request.status.updated', filters: { key: 'own' }, after: -1 }, 'after'],
  ])('are answered with what is wrong: %j', async (frame, field) => {
    const api = await service();
    const one = await client(api);
    one.send(frame);
    expect(await one.next()).toMatchObject({
      ...{ type: 'error', status: 'error' },
      error: { errorCode: 'INVALID_REQUEST', errorData: { field } },
    });
    expect(await one.closed).toBe(1008);
  });

  it('close a socket without subscriptions with the reason in words', async () => {
    const api = await service();
    const reasonOf = async (frame: object): Promise<string> => {
      const one = await client(api);
      const reason = new Promise<string>((resolve) => one.socket.once('close', (_, why) => resolve(String(why))));
      one.send(frame);
      return reason;
    };
    expect(await reasonOf({ type: 'hello' })).toBe('type: must be subscribe or unsubscribe');
    const ask = { type: 'subscribe', event: 'request.status.updated', filters: { id: `0x${'ab'.repeat(32)}` } };
    expect(await reasonOf(ask)).toBe('No request has this id');
  });
});

describe('upgrades', () => {
  const raw = (api: RunningApi, path: string, headers: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = dial(Number(new URL(api.url).port), '127.0.0.1');
      let text = '';
      socket.on('data', (data) => {
        text += data.toString();
      });
      socket.once('close', () => resolve(text));
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n${headers}\r\n\r\n`);
    });

  it('are refused elsewhere, and from origins that are not allowed', async () => {
    const api = await service({}, ['https://good.example']);
    await expect(connect(api, '/chains')).rejects.toThrow('HTTP 404');
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13';
    expect(await raw(api, '/ws', `Upgrade: websocket\r\n${key}\r\nOrigin: https://evil.example`)).toMatch(
      /^HTTP\/1.1 403 [\s\S]*"errorCode":"FORBIDDEN"/,
    );
  });

  it('to other protocols are declined by answering the request', async () => {
    const api = await service();
    expect(await raw(api, '/lives', 'Upgrade: h2c')).toMatch(/^HTTP\/1.1 200 /);
  });
});
