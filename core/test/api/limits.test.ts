import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Context } from 'koa';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ApiDeps } from '../../src/api/index.js';
import { makeKey } from '../../src/api/key-format.js';
import { createRateLimits } from '../../src/api/rate-limits.js';
import type { Route } from '../../src/api/route.js';
import { clientAddress, networkOf, widerNetworksOf } from '../../src/api/server/client-address.js';
import { Deadlines } from '../../src/api/server/deadlines.js';
import { createGate } from '../../src/api/server/gate.js';
import { Load } from '../../src/api/server/load.js';
import { ratesOf } from '../../src/host/config/rates.js';
import { type HttpServer, listen } from '../../src/host/http-server.js';
import { systemRandom } from '../../src/host/system-random.js';
import { apiKeyRow, changeSet, insert } from '../../src/testing/store-fixtures.js';
import { ask, type RunningApi, runningApi, withAdminKey, withKey } from './support/running-api.js';

const OPTIONS: ApiDeps['options'] = { anonymousRead: 'off', rateLimits: {}, corsOrigins: ['*'], trustedProxies: [] };
const STATUS = `/intents/status/v3?requestId=0x${'0'.repeat(64)}`;
const TIERS = {
  default: { quotes: '50/min', requests: '200/min', legacyRequests: '200/min', other: '200/min' },
  elevated: { quotes: '10/s', requests: '20/s', legacyRequests: '10/s', other: '200/min' },
  status: '20/s',
};

async function apiWith(options: Partial<ApiDeps['options']>, more: Partial<ApiDeps> = {}): Promise<RunningApi> {
  const api = await runningApi({ options: { ...OPTIONS, ...options }, ...more });
  onTestFinished(() => api.close());
  return api;
}

function stillClock() {
  const tasks: { readonly ms: number; readonly task: () => void }[] = [];
  const clock = {
    at: 0,
    monotonic: () => clock.at,
    every: (ms: number, task: () => void) => {
      tasks.push({ ms, task });
      return () => void tasks.splice(0);
    },
    tasks,
  };
  return clock;
}

describe('rates', () => {
  it('are those of the public interface unless the config says otherwise', () => {
    const rate = (requests: number, seconds: number) => ({ requests, seconds });
    expect(ratesOf(TIERS)).toEqual({
      quotes: { default: rate(50, 60), elevated: rate(10, 1) },
      requests: { default: rate(200, 60), elevated: rate(20, 1) },
      legacyRequests: { default: rate(200, 60), elevated: rate(10, 1) },
      other: { default: rate(200, 60), elevated: rate(200, 60) },
      status: { default: rate(20, 1), elevated: rate(20, 1) },
    });
    const overridden = ratesOf({ ...TIERS, status: 'off', quotesPerSecond: 0, requestsPerSecond: 7 });
    const seven = { default: rate(7, 1), elevated: rate(7, 1) };
    expect(overridden).toMatchObject({ quotes: {}, status: {}, requests: seven, legacyRequests: seven });
    expect([overridden.quotes, overridden.status]).toEqual([{}, {}]);
  });

  it('let through exactly so many in a window, and as many again in the next', () => {
    const clock = stillClock();
    const limits = createRateLimits(ratesOf(TIERS), clock);
    const allowed = (count: number) =>
      Array.from({ length: count }, () => limits('quotes', 'default', 'ip:a')?.allowed).filter(Boolean).length;
    expect(allowed(60)).toBe(50);
    clock.at = 59_999;
    expect(allowed(1)).toBe(0);
    expect(limits('quotes', 'default', 'ip:a')).toMatchObject({ allowed: false, remaining: 0, resetIn: 1 });
    clock.at = 60_000;
    expect(allowed(60)).toBe(50);
    expect(limits('quotes', 'default', 'ip:b')).toMatchObject({ allowed: true, remaining: 49, resetIn: 60 });
  });

  it('never name a time beyond the window, whatever fractions the clock shows', () => {
    const clock = stillClock();
    const limits = createRateLimits(ratesOf(TIERS), clock);
    for (let n = 0; n < 1_000; n += 1) {
      clock.at = n * 86_400.123456789;
      expect(limits('quotes', 'default', `ip:${n}`)?.resetIn).toBe(60);
    }
  });

  it('stay in bounded memory, however many callers there are', () => {
    const limits = createRateLimits(ratesOf(TIERS), stillClock());
    for (let n = 0; n < 51_000; n += 1) limits('quotes', 'default', `ip:${n}`);
    expect(limits('quotes', 'default', 'ip:0')?.remaining, 'forgotten').toBe(49);
    expect(limits('quotes', 'default', 'ip:50999')?.remaining, 'remembered').toBe(48);
  });

  it('of a key are those of its tier, and reported in the standard headers', async () => {
    const api = await apiWith({ rateLimits: ratesOf(TIERS) });
    const elevated = makeKey(systemRandom, 'local');
    await api.store.apply(changeSet(insert('apiKeys', apiKeyRow(9, { hash: elevated.hash, tier: 'elevated' }))));
    const plain = await api.call('GET', '/requests/v3', withKey);
    expect(plain.headers.get('ratelimit-policy')).toBe('"requests";q=200;w=60');
    expect(plain.headers.get('ratelimit')).toMatch(/^"requests";r=199;t=60$/);
    const fast = await api.call('GET', '/requests/v3', { headers: { 'x-api-key': elevated.secret } });
    expect(fast.headers.get('ratelimit-policy')).toBe('"requests";q=20;w=1');
    expect((await api.call('POST', '/quote/v2', { body: ask() })).headers.get('ratelimit-policy')).toBe(
      '"quotes";q=50;w=60',
    );
    expect((await api.call('GET', '/chains')).headers.get('ratelimit-policy')).toBe('"other";q=200;w=60');
    expect((await api.call('GET', '/admin/alerts', withAdminKey)).headers.get('ratelimit')).toBeNull();
  });

  it('above one is 429 with what a client can read, and Retry-After', async () => {
    const api = await apiWith({ rateLimits: { quotes: { default: { requests: 1, seconds: 60 } } } });
    await api.call('POST', '/quote/v2', { body: ask() });
    const { status, headers, body } = await api.call('POST', '/quote/v2', { body: ask() });
    expect([status, body.statusCode, body.message]).toEqual([429, 429, 'Too many requests, try again in 60 s']);
    expect(headers.get('retry-after')).toBe('60');
    expect(headers.get('ratelimit')).toBe('"quotes";r=0;t=60');
  });

  it('of a route with a refusal of its own are reported without Retry-After', async () => {
    const headers: Record<string, string> = {};
    const set = (name: string, value: string) => void Object.assign(headers, { [name]: value });
    const req = { headers: {}, socket: { remoteAddress: '203.0.113.9' } };
    const context = { req, set, res: { setHeader: set } } as unknown as Context;
    const limits = createRateLimits({ legacyRequests: { default: { requests: 1, seconds: 60 } } }, stillClock());
    const deps = { address: clientAddress([]), keys: async () => null, limits, adminKey: null };
    const gate = createGate({ ...deps, overloaded: () => false });
    const own = { status: 429, body: { message: 'use the successor' } };
    const row = { method: 'GET', path: '/', operationId: 'old', summary: '', tags: ['Requests'] } as const;
    const use = { rate: 'legacyRequests', access: 'open', answers: {}, limited: () => own, handle: () => own } as const;
    const old: Route = { ...row, ...use };
    expect(await gate(old, context)).toMatchObject({ address: '203.0.113.9' });
    expect(await gate(old, context)).toBe(own);
    expect(headers).toEqual({
      RateLimit: '"legacyRequests";r=0;t=60',
      'RateLimit-Policy': '"legacyRequests";q=1;w=60',
    });
  });

  it('of status polling go by address, whatever the key', async () => {
    const api = await apiWith({ rateLimits: { status: { default: { requests: 2, seconds: 60 } } } });
    const codes = [];
    for (const options of [withKey, {}, withKey]) codes.push((await api.call('GET', STATUS, options)).status);
    expect(codes).toEqual([404, 404, 429]);
  });

  it('go by the /64 of an IPv6 address', async () => {
    expect(networkOf('2001:db8::1')).toBe('2001:db8:0:0::/64');
    expect(networkOf('2001:0DB8:0000:0000:ffff::')).toBe('2001:db8:0:0::/64');
    expect(networkOf('2001:db8:0:1::')).toBe('2001:db8:0:1::/64');
    expect(networkOf('::1')).toBe('0:0:0:0::/64');
    expect(networkOf('1:2:3:4:5:6:7:8')).toBe('1:2:3:4::/64');
    expect(networkOf('1:2::9:1.2.3.4')).toBe('1:2:0:0::/64');
    expect(networkOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
    expect(networkOf('203.0.113.9')).toBe('203.0.113.9');
    const limits = { other: { default: { requests: 2, seconds: 60 } } };
    const api = await apiWith({ rateLimits: limits, trustedProxies: ['127.0.0.0/8'] });
    const from = async (ip: string) =>
      (await api.call('GET', '/chains', { headers: { 'x-forwarded-for': ip } })).status;
    expect([await from('2001:db8::1'), await from('2001:db8::ff:2'), await from('2001:db8:0:0:9::')]).toEqual([
      200, 200, 429,
    ]);
    expect(await from('2001:db8:0:1::1')).toBe(200);
  });
});

describe('anyone who has many networks of IPv6', () => {
  const limits = { other: { default: { requests: 2, seconds: 60 } } };
  const asking = async () => {
    const api = await apiWith({ rateLimits: limits, trustedProxies: ['127.0.0.0/8'] });
    return async (ip: string, options = {}) => {
      const given = (options as { headers?: object }).headers;
      return (await api.call('GET', '/chains', { headers: { ...given, 'x-forwarded-for': ip } })).status;
    };
  };
  const hex = (n: number) => n.toString(16);
  const allowed = async (from: Awaited<ReturnType<typeof asking>>, ips: readonly string[]) => {
    let served = 0;
    for (const ip of ips) if ((await from(ip)) === 200) served += 1;
    return served;
  };

  it('is known by the /56 and the /48 around them', () => {
    expect(widerNetworksOf('2001:db8:1:abcd::1')).toEqual([
      { network: '2001:db8:1:ab00::/56', times: 4 },
      { network: '2001:db8:1::/48', times: 16 },
    ]);
    expect(widerNetworksOf('203.0.113.9')).toEqual([]);
  });

  it('has four times the rate from a /56, however many /64 of it ask', async () => {
    const from = await asking();
    const ips = Array.from({ length: 256 }, (_, n) => `2001:db8:0:${hex(n)}::1`);
    expect(await allowed(from, ips)).toBe(8);
    expect(await from('2001:db8:0:100::1'), 'the next /56').toBe(200);
  });

  it('has sixteen times the rate from a /48, and keys and other networks have theirs', async () => {
    const from = await asking();
    const ips = Array.from({ length: 64 }, (_, n) => `2001:db8:0:${hex(n * 256)}::1`);
    expect(await allowed(from, ips)).toBe(32);
    expect(await from('2001:db8:0:ff00::1')).toBe(429);
    expect(await from('2001:db8:0:ff00::1', withKey)).toBe(200);
    expect(await from('2001:db8:1::1')).toBe(200);
  });

  it('uses nothing of a wider network up by what is refused', async () => {
    const from = await asking();
    for (let n = 0; n < 50; n += 1) await from('2001:db8:0:1::1');
    expect(await allowed(from, ['2001:db8:0:2::1', '2001:db8:0:2::1', '2001:db8:0:3::1'])).toBe(3);
  });
});

describe('too much to do', () => {
  it('refuses new work with 503 and a time to wait, never operators, health or preflights', async () => {
    const api = await apiWith({ load: { maxInProgress: 1, maxLoopDelayMs: Infinity } });
    let release: (() => void) | undefined;
    api.b.state.check = () =>
      new Promise((resolve) => {
        release = () => resolve({ ok: true, plan: '' });
      });
    const slow = api.call('POST', '/quote/v2', { body: ask({ destinationCurrency: `0x${'c'.repeat(40)}` }) });
    while (!release) await new Promise((resolve) => setTimeout(resolve, 5));
    const origin = { origin: 'https://app.example' };
    const refused = await api.call('GET', '/chains', { headers: origin });
    expect(refused).toMatchObject({ status: 503, body: { errorCode: 'SERVICE_UNAVAILABLE', retriable: true } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('access-control-allow-origin'), 'a page can read it').toBe('*');
    expect((await api.call('GET', '/lives')).status).toBe(200);
    expect((await api.call('GET', '/admin/alerts', withAdminKey)).status).toBe(200);
    const preflight = { ...origin, 'access-control-request-method': 'POST' };
    expect((await api.call('OPTIONS', '/quote/v2', { headers: preflight })).status).toBe(204);
    release();
    expect((await slow).status).toBe(200);
    expect((await api.call('GET', '/chains')).status).toBe(200);
  });

  it('is an event loop that stays late, not one long pause', () => {
    const clock = stillClock();
    const load = new Load({ maxInProgress: 10, maxLoopDelayMs: 500 }, clock);
    const tick = (late: number) => {
      clock.at += 100 + late;
      for (const { task } of clock.tasks) task();
      return load.overloaded();
    };
    expect(tick(0)).toBe(false);
    expect(tick(60_000), 'a pause').toBe(false);
    expect([tick(900), tick(900)].at(-1)).toBe(true);
    expect([tick(0), tick(0), tick(0)].at(-1)).toBe(false);
    expect(Array.from({ length: 50 }, () => tick(450)).includes(true), 'late, within the limit').toBe(false);
    expect(Array.from({ length: 50 }, () => tick(550)).at(-1), 'always a little too late').toBe(true);
  });

  it('an answer that takes too long is abandoned', async () => {
    const clock = stillClock();
    const deadlines = new Deadlines(1_000, clock);
    const sweep = () => clock.tasks.forEach(({ task }) => void task());
    const never = new Promise<string>(() => {});
    const outcome = deadlines.within(never).catch((error: { code: string }) => error.code);
    const quick = deadlines.within(Promise.resolve('quick'));
    clock.at = 999;
    sweep();
    expect(await Promise.race([outcome, Promise.resolve('still waiting')])).toBe('still waiting');
    clock.at = 1_000;
    sweep();
    expect([await outcome, await quick]).toEqual(['REQUEST_TIMED_OUT', 'quick']);
  });

  it('is answered 503 when its work hangs, and later work is not touched', async () => {
    const every = (ms: number, task: () => void) => {
      const timer = setInterval(task, ms);
      return () => clearInterval(timer);
    };
    const clock = { now: Date.now, monotonic: () => performance.now(), sleep: async () => {}, every };
    const api = await apiWith({ answerWithinMs: 100 }, { clock });
    const { ping } = api.store;
    onTestFinished(() => {
      api.store.ping = ping;
    });
    api.store.ping = () => new Promise(() => {});
    expect(await api.call('GET', '/lives')).toMatchObject({ status: 503, body: { errorCode: 'REQUEST_TIMED_OUT' } });
    expect((await api.call('GET', '/chains')).status).toBe(200);
    await api.api.close();
  });
});

describe('request ids', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi();
  });
  afterAll(() => api.close());
  const idOf = async (given: string) =>
    (await api.call('GET', '/chains', { headers: { 'x-request-id': given } })).headers.get('x-request-id');

  it("are the client's own where they are sane", async () => {
    for (const id of ['8f14e45f-ceea-467f-a0e6-1d5f2b7c9a3e', 'trace:1.2_3', 'a']) {
      expect(await idOf(id)).toBe(id);
      expect(api.logs.some((line) => line.fields['id'] === id)).toBe(true);
    }
    for (const id of ['', ' ', 'a b', '-x', '{"a":1}', 'x'.repeat(65)]) expect(await idOf(id)).not.toBe(id);
  });

  it('are in every line that a request writes', async () => {
    const { ping } = api.store;
    api.store.ping = () => Promise.reject(new Error('disk gone'));
    await api.call('GET', '/lives', { headers: { 'x-request-id': 'find-me' } });
    api.store.ping = ping;
    const lines = api.logs.filter((line) => line.message === 'the database does not answer');
    expect(lines.map((line) => line.fields['id'])).toEqual(['find-me']);
  });
});

describe('the server', () => {
  const limits = { maxHeaderBytes: 2_048, requestWithinMs: 1_000 };
  let api: RunningApi;
  let server: HttpServer;
  beforeAll(async () => {
    api = await runningApi();
    server = await listen('127.0.0.1', 0, api.api, limits);
  });
  afterAll(async () => {
    await server.close();
    await api.close();
  });

  async function raw(
    ...parts: readonly string[]
  ): Promise<{ status: number; head: string; body: Record<string, unknown> }> {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    await once(socket, 'connect');
    for (const part of parts) socket.write(part);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body) };
  }

  const POST = 'POST /quote/v2 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{';
  it.each([
    ['headers that are too large', 431, `GET /chains HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(3_000)}\r\n\r\n`],
    ['a URL that is too long', 431, `GET /chains?a=${'a'.repeat(3_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['what is no HTTP', 400, 'hello there\r\n\r\n'],
    ['headers that never end', 408, 'GET /chains HTTP/1.1\r\nHost: x\r\n'],
    ['a body that never ends', 408, POST],
  ])('answers %s with %i and closes', async (_, status, request) => {
    const reply = await raw(request);
    expect(reply).toMatchObject({
      status,
      body: { statusCode: status, errorCode: 'INVALID_REQUEST', retriable: false },
    });
    for (const header of ['X-Request-Id: ', 'X-Content-Type-Options: nosniff', 'Connection: close', 'Access-Control-'])
      expect(reply.head).toContain(header);
  });

  it('still answers everyone else', async () => {
    expect((await fetch(`${server.url}/chains`)).status).toBe(200);
  });
});
