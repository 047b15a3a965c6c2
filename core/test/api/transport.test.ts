import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ApiDeps } from '../../src/api/index.js';
import { ADMIN_KEY, API_KEY, ask, type RunningApi, runningApi, withAdminKey, withKey } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterEach(() => api.reset());
afterAll(() => api.close());

const OPTIONS: ApiDeps['options'] = {
  anonymousRead: 'off',
  rateLimits: {},
  corsOrigins: ['*'],
  trustedProxies: [],
};

async function apiWith(options: Partial<ApiDeps['options']>, more: Partial<ApiDeps> = {}): Promise<RunningApi> {
  const other = await runningApi({ options: { ...OPTIONS, ...options }, ...more });
  onTestFinished(() => other.close());
  return other;
}

describe('keys', () => {
  it('a wrong key is 401 everywhere, no key only where one is needed', async () => {
    const wrong = { headers: { 'x-api-key': 'wrong' } };
    for (const path of ['/chains', '/requests/v3', `/intents/status/v3?requestId=0x${'0'.repeat(64)}`]) {
      expect(await api.call('GET', path, wrong)).toMatchObject({ status: 401, body: { errorCode: 'UNAUTHORIZED' } });
    }
    expect((await api.call('GET', '/requests/v3')).status).toBe(401);
    expect((await api.call('GET', '/requests/v3', withKey)).status).toBe(200);
  });

  it('a revoked key is refused once it is not fresh any more', async () => {
    const row = (await api.store.apiKeys())[0];
    if (!row) throw new Error('no key');
    expect((await api.call('GET', '/requests/v3', withKey)).status).toBe(200);
    const set = { op: 'update', table: 'apiKeys', key: { id: row.id } } as const;
    await api.store.apply({ name: 'test', changes: [{ ...set, version: row.version, set: { revokedAt: 1 } }] });
    api.clock.offset = 11_000;
    expect((await api.call('GET', '/requests/v3', withKey)).status).toBe(401);
    await api.store.apply({ name: 'test', changes: [{ ...set, version: row.version + 1, set: { revokedAt: null } }] });
    api.clock.offset = 22_000;
    expect((await api.call('GET', '/requests/v3', withKey)).status).toBe(200);
  });

  it('no key and no key hash is ever logged', async () => {
    await api.call('GET', `/requests/v3?apiKey=${API_KEY}`, withKey);
    expect(JSON.stringify(api.logs)).not.toContain(API_KEY);
  });
});

describe('operators', () => {
  it('everything under /admin wants the admin key, in either header', async () => {
    for (const [method, path] of [
      ['GET', '/admin/audit'],
      ['GET', '/admin/alerts'],
      ['POST', '/admin/pause'],
      ['POST', '/admin/resume'],
    ] as const) {
      const body = method === 'POST' ? { body: { scope: 'all' } } : {};
      expect((await api.call(method, path, body)).status).toBe(401);
      expect((await api.call(method, path, { ...body, headers: { 'x-admin-key': API_KEY } })).status).toBe(401);
      expect((await api.call(method, path, { ...body, ...withAdminKey })).status).toBe(200);
      const bearer = { ...body, headers: { authorization: `Bearer ${ADMIN_KEY}` } };
      expect((await api.call(method, path, bearer)).status).toBe(200);
    }
  });

  it('without a configured admin key no one gets in', async () => {
    const closed = await apiWith({}, { adminKey: null });
    expect((await closed.call('GET', '/admin/audit', withAdminKey)).status).toBe(401);
    expect((await closed.call('GET', '/admin/audit', { headers: { 'x-admin-key': '' } })).status).toBe(401);
  });

  it('pauses and resumes known scopes, with a reason', async () => {
    const start = api.engine.pauses.length;
    for (const scope of ['all', 'chain:1', 'route:1-2']) {
      const body = { scope, reason: 'maintenance' };
      expect(await api.call('POST', '/admin/pause', { body, ...withAdminKey })).toMatchObject({
        status: 200,
        body: { scope, paused: true, reason: 'maintenance' },
      });
    }
    await api.call('POST', '/admin/resume', { body: { scope: 'chain:77' }, ...withAdminKey });
    expect(api.engine.pauses.slice(start)).toEqual([
      ['all', true, 'maintenance'],
      ['chain:1', true, 'maintenance'],
      ['route:1-2', true, 'maintenance'],
      ['chain:77', false, null],
    ]);
  });

  it.each(['', 'everything', 'chain:', 'chain:x', 'route:1', 'chain:99', 'route:1-99'])(
    'refuses scope "%s"',
    async (scope) => {
      const reply = await api.call('POST', '/admin/pause', { body: { scope }, ...withAdminKey });
      expect(reply).toMatchObject({ status: 400, body: { errorData: { field: 'scope' } } });
    },
  );

  it('audit and alerts answer what the service says', async () => {
    expect((await api.call('GET', '/admin/audit', withAdminKey)).body).toMatchObject({ balanced: true });
    expect((await api.call('GET', '/admin/alerts', withAdminKey)).body.alerts).toHaveLength(1);
  });

  it('metrics are for the admin key, from wherever it comes', async () => {
    const proxied = { 'x-forwarded-for': '203.0.113.9' };
    for (const headers of [{}, proxied, { 'x-admin-key': 'x' }])
      expect((await api.call('GET', '/metrics', { headers })).status).toBe(401);
    const here = await api.call('GET', '/metrics', withAdminKey);
    expect(here).toMatchObject({ status: 200, body: 'causeway_up 1\n' });
    expect(here.headers.get('content-type')).toContain('version=0.0.4');
    const keyed = { headers: { ...proxied, ...withAdminKey.headers } };
    expect((await api.call('GET', '/metrics', keyed)).status).toBe(200);
  });
});

describe('any text', () => {
  it.each(['maintenance', 'Prüfung', '検査 ü'])(
    'is answered in full, however the path is written: %s',
    async (reason) => {
      for (const path of ['/admin/pause', '/admin/pause?'] as const) {
        const reply = await api.call('POST', path, { body: { scope: 'all', reason }, ...withAdminKey });
        expect(reply).toMatchObject({ status: 200, body: { reason } });
        const bytes = Buffer.byteLength(JSON.stringify(reply.body));
        expect(reply.headers.get('content-length')).toBe(String(bytes));
      }
    },
  );
});

describe('rates', () => {
  const perSecond = (requests: number) => ({ default: { requests, seconds: 1 }, elevated: { requests, seconds: 1 } });
  const many = async (count: number, call: (index: number) => Promise<{ status: number }>) =>
    (await Promise.all(Array.from({ length: count }, (_, index) => call(index)))).filter(
      (reply) => reply.status === 429,
    ).length;

  it('a caller above its rate gets 429 with Retry-After; other groups are not touched', async () => {
    const limited = await apiWith({ rateLimits: { status: perSecond(5) } });
    const path = `/intents/status/v3?requestId=0x${'0'.repeat(64)}`;
    expect(await many(12, () => limited.call('GET', path))).toBe(7);
    const reply = await limited.call('GET', path);
    expect(reply).toMatchObject({ status: 429, body: { errorCode: 'RATE_LIMITED', retriable: true, statusCode: 429 } });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await many(12, () => limited.call('GET', '/chains'))).toBe(0);
  });

  it('counts by key where there is one, else by address; wrong keys count against the address', async () => {
    const limited = await apiWith({ rateLimits: { other: perSecond(4) } });
    expect(await many(6, () => limited.call('GET', '/chains', withKey))).toBe(2);
    expect(await many(3, () => limited.call('GET', '/chains'))).toBe(0);
    const wrong = (index: number) => ({ headers: { 'x-api-key': `wrong-${index}` } });
    expect(await many(6, (index) => limited.call('GET', '/chains', wrong(index)))).toBe(5);
  });

  it('guessing the admin key is slow, using it is not', async () => {
    const limited = await apiWith({ rateLimits: { other: perSecond(3) } });
    const wrong = { headers: { 'x-admin-key': 'guess' } };
    expect(await many(10, () => limited.call('GET', '/admin/alerts', wrong))).toBe(7);
    expect(await many(10, () => limited.call('GET', '/admin/alerts', withAdminKey))).toBe(0);
  });

  it('believes X-Forwarded-For only from trusted proxies, read from the right', async () => {
    const from = (chain: string) => ({ headers: { 'x-forwarded-for': chain } });
    const direct = await apiWith({ rateLimits: { other: perSecond(2) } });
    expect(await many(4, (index) => direct.call('GET', '/chains', from(`203.0.113.${index}`)))).toBe(2);
    const behind = await apiWith({
      rateLimits: { other: perSecond(2) },
      trustedProxies: ['127.0.0.0/8', '10.0.0.1'],
    });
    expect(await many(4, (index) => behind.call('GET', '/chains', from(`203.0.113.${index}`)))).toBe(0);
    const spoofed = (index: number) => from(`198.51.100.${index}, 203.0.113.77, 10.0.0.1`);
    expect(await many(4, (index) => behind.call('GET', '/chains', spoofed(index)))).toBe(2);
  });

  it('refuses a trusted proxy that is no address', async () => {
    await expect(apiWith({ trustedProxies: ['proxy.internal'] })).rejects.toThrow('proxy.internal');
  });
});

describe('every answer', () => {
  it('has a request id of its own, in the log too, and headers that close doors', async () => {
    const replies = [await api.call('GET', '/chains'), await api.call('GET', '/nothing')];
    const ids = replies.map((reply) => reply.headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(2);
    for (const [index, reply] of replies.entries()) {
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const line = api.logs.find((one) => one.fields['id'] === ids[index]);
      expect(line).toMatchObject({
        level: 'info',
        fields: { status: reply.status, method: 'GET', ms: expect.any(Number) },
      });
    }
  });

  it('is observed by route, and unknown paths share one label', async () => {
    await api.call('GET', '/chains');
    await api.call('GET', '/x/1');
    await api.call('GET', '/x/2');
    const labels = api.observed.filter((one) => one.name === 'request').map((one) => JSON.stringify(one.labels));
    expect(labels).toContain(JSON.stringify({ route: 'chains', method: 'GET', status: 200 }));
    expect(new Set(labels.filter((label) => label.includes('404') && label.includes('none'))).size).toBe(1);
  });

  it('only listed origins are let in where origins are listed', async () => {
    const strict = await apiWith({ corsOrigins: ['https://good.example'] });
    const from = (origin: string) => strict.call('GET', '/chains', { headers: { origin } });
    expect((await from('https://good.example')).headers.get('access-control-allow-origin')).toBe(
      'https://good.example',
    );
    const bad = await from('https://bad.example');
    expect(bad.headers.get('access-control-allow-origin')).toBeNull();
    expect(bad.headers.get('vary')).toContain('Origin');
  });

  it('says to every request which headers pages may read, and lets no one in by that', async () => {
    const strict = await apiWith({ corsOrigins: ['https://good.example'] });
    for (const headers of [{}, { origin: 'https://good.example' }, { origin: 'https://bad.example' }]) {
      for (const path of ['/chains', '/requests/v3', '/no-such-path']) {
        const reply = await strict.call('GET', path, { headers });
        const exposed = reply.headers.get('access-control-expose-headers')?.split(', ');
        expect(exposed, path).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link', 'Retry-After']));
        const letIn = 'origin' in headers && headers.origin === 'https://good.example';
        expect(reply.headers.get('access-control-allow-origin')).toBe(letIn ? 'https://good.example' : null);
      }
    }
  });
});

describe('health', () => {
  it('is well while the database answers and a chain lives', async () => {
    expect((await api.call('GET', '/lives')).body).toEqual({ status: 'ok' });
    api.a.state.healthy = false;
    const { status, body } = await api.call('GET', '/lives?withReport=true', withAdminKey);
    expect(status).toBe(200);
    expect(body.report.chains).toMatchObject([
      { id: 1, healthy: false, reason: 'no provider answers' },
      { id: 2, healthy: true },
    ]);
    for (const headers of [{}, { 'x-forwarded-for': '203.0.113.9' }, { 'x-admin-key': 'x' }]) {
      const stranger = await api.call('GET', '/lives?withReport=true', { headers });
      expect(stranger.body.report.chains[0]).toMatchObject({ healthy: false });
      expect(stranger.body.report.chains[0]).not.toHaveProperty('reason');
    }
    api.b.state.healthy = false;
    expect(await api.call('GET', '/lives')).toMatchObject({ status: 503, body: { status: 'unavailable' } });
  });

  it('is 503 when the database does not answer', async () => {
    const { ping } = api.store;
    onTestFinished(() => {
      api.store.ping = ping;
    });
    api.store.ping = () => Promise.reject(new Error('disk gone'));
    expect(await api.call('GET', '/lives?withReport=true')).toMatchObject({
      status: 503,
      body: { report: { database: { healthy: false } } },
    });
  });
});

describe('plugins', () => {
  it('answer under their own prefix', async () => {
    expect((await api.call('GET', '/plugins/hello/world?name=x')).body).toEqual({ name: 'x' });
    expect((await api.call('GET', '/plugins/hello/other')).status).toBe(404);
    expect((await api.call('GET', '/plugins/nobody/world')).status).toBe(404);
  });
});

describe('stopping', () => {
  it('finishes what is in progress and refuses the rest', async () => {
    const stopping = await apiWith({});
    let release: (() => void) | undefined;
    stopping.b.state.check = () =>
      new Promise((resolve) => {
        release = () => resolve({ ok: true, plan: '' });
      });
    const body = ask({ destinationCurrency: `0x${'c'.repeat(40)}` });
    const slow = stopping.call('POST', '/quote/v2', { body });
    while (!release) await new Promise((resolve) => setTimeout(resolve, 5));
    let closed = false;
    const closing = stopping.api.close().then(() => {
      closed = true;
    });
    expect(await stopping.call('GET', '/chains')).toMatchObject({
      status: 503,
      body: { errorCode: 'SERVICE_UNAVAILABLE' },
    });
    expect(closed).toBe(false);
    release?.();
    expect((await slow).status).toBe(200);
    await closing;
    expect(closed).toBe(true);
  });
});
