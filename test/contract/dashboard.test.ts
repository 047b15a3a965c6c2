import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MountedRoute } from '../../core/src/api/index.js';
import { ADMIN_KEY, API_KEY, addKey, type DashboardWorld, dashboardWorld, OTHER_KEY } from './dashboard/world.js';

let world: DashboardWorld;
beforeAll(async () => {
  world = await dashboardWorld({ triesPerQuarterHour: 1_000 });
});
afterAll(() => world.close());

const UNSAFE = ['POST', 'PUT', 'PATCH', 'DELETE'];

describe('signing in', () => {
  it('opens a session for an integrator and for an admin, without keeping the key', async () => {
    const { status, headers, body } = await world.call('POST', '/dashboard/session', { json: { key: API_KEY } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ role: 'integrator', keyId: 'key-1', name: 'tests' });
    const cookie = headers['set-cookie'] ?? '';
    expect(cookie).toMatch(
      /^causeway_dashboard=[\w-]+\.[\w-]{43}; Path=\/dashboard; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
    expect(cookie + JSON.stringify(body)).not.toContain(API_KEY);
    const admin = await world.call('POST', '/dashboard/session', { json: { key: ADMIN_KEY } });
    expect(admin.body).toMatchObject({ role: 'admin', keyId: null, name: null });
    const { cookie: sent } = await world.signIn(API_KEY);
    expect((await world.call('GET', '/dashboard/session', { headers: { cookie: sent } })).body).toMatchObject({
      keyId: 'key-1',
    });
  });

  it('marks the cookie as secure where the network is not local', async () => {
    const public_ = await dashboardWorld({}, false);
    const { headers } = await public_.call('POST', '/dashboard/session', { json: { key: API_KEY } });
    expect(headers['set-cookie']).toMatch(/; Secure$/);
    await public_.close();
  });

  it.each([
    [{}, 'key'],
    [null, 'key'],
    [[], 'key'],
    [{ key: '' }, 'key'],
    [{ key: 'x'.repeat(513) }, 'key'],
    [{ key: 5 }, 'key'],
    [{ link: {} }, 'link'],
    [{ key: API_KEY, link: 'x' }, 'link'],
  ])('refuses %j by its field', async (json, field) => {
    const { status, body } = await world.call('POST', '/dashboard/session', { json });
    expect({ status, code: body.errorCode, field: body.errorData.field }).toEqual({
      ...{ status: 400, code: 'INVALID_REQUEST', field },
    });
  });

  it('refuses a body that is no JSON, is too large, or is a form of another site', async () => {
    const raw = (text: string, type = 'application/json') =>
      world.call('POST', '/dashboard/session', { raw: text, headers: { 'content-type': type } });
    expect((await raw('{')).status).toBe(400);
    expect((await raw(JSON.stringify({ key: 'x'.repeat(300_000) }))).status).toBe(413);
    expect((await raw(`key=${API_KEY}`, 'application/x-www-form-urlencoded')).status).toBe(400);
    expect((await raw(JSON.stringify({ key: API_KEY }), 'text/plain')).status).toBe(400);
  });

  it('limits tries, for right keys too, until the window ends', async () => {
    const limited = await dashboardWorld({ triesPerQuarterHour: 3 });
    const attempt = (key: string) => limited.call('POST', '/dashboard/session', { json: { key } });
    for (let n = 0; n < 3; n += 1) expect((await attempt(`wrong-${n}`)).status).toBe(401);
    const refused = await attempt(API_KEY);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(800);
    limited.api.clock.offset += 15 * 60_000 + 1;
    expect((await attempt(API_KEY)).status).toBe(200);
    await limited.close();
  });

  it('by a link works once, within ten minutes, and only admins make one', async () => {
    const make = (headers: Record<string, string>) => world.call('POST', '/dashboard/session/link', { headers });
    expect((await make({})).status).toBe(401);
    expect((await make({ 'x-api-key': API_KEY })).status).toBe(401);
    const { cookie, csrf } = await world.signIn(ADMIN_KEY);
    expect((await make({ cookie, 'x-causeway-csrf': csrf })).status).toBe(401);
    const made = await make({ 'x-admin-key': ADMIN_KEY });
    const link = made.body.path.split('#link=')[1];
    const use = (one: string) => world.call('POST', '/dashboard/session', { json: { link: one } });
    expect((await use(link)).body).toMatchObject({ role: 'admin' });
    expect((await use(link)).status).toBe(401);
    const late = (await make({ 'x-admin-key': ADMIN_KEY })).body.path.split('#link=')[1];
    world.api.clock.offset += 10 * 60_000;
    expect((await use(late)).status).toBe(401);
    world.api.clock.offset = 0;
  });

  it('bounds the sessions of a key', async () => {
    const small = await dashboardWorld();
    const open = async (key: string, n: number) => {
      const made: string[] = [];
      for (let i = 0; i < n; i += 1) made.push((await small.signIn(key)).cookie);
      return made;
    };
    const alive = async (cookie = '') =>
      (await small.call('GET', '/dashboard/session', { headers: { cookie } })).status === 200;
    const first = await open(API_KEY, 21);
    expect(await alive(first[0])).toBe(false);
    expect(await alive(first[1])).toBe(true);
    await open(OTHER_KEY, 3);
    expect(await alive(first[1])).toBe(true);
    await small.close();
  });
});

describe('the end of a session', () => {
  it('comes with its time, with signing out, everywhere, and with the key', async () => {
    const status = async ({ cookie }: { readonly cookie: string }, path = '/dashboard/session') =>
      (await world.call('GET', path, { headers: { cookie } })).status;
    const one = await world.signIn(API_KEY);
    world.api.clock.offset = 3_600_000;
    expect(await status(one)).toBe(401);
    world.api.clock.offset = 0;
    const out = await world.call('DELETE', '/dashboard/session', { headers: one.headers });
    expect([out.status, out.text]).toEqual([204, '']);
    expect(out.headers['set-cookie']).toContain('causeway_dashboard=; Path=/dashboard; Max-Age=0');
    expect(await status(one)).toBe(401);
    const [two, three, other] = [
      await world.signIn(API_KEY),
      await world.signIn(API_KEY),
      await world.signIn(OTHER_KEY),
    ];
    await world.call('DELETE', '/dashboard/session?everywhere=1', { headers: two.headers });
    expect([await status(two), await status(three), await status(other)]).toEqual([401, 401, 200]);
    expect((await world.call('DELETE', '/dashboard/session', { headers: two.headers })).status).toBe(204);
  });

  it('is at once where the key is revoked, for reads and writes', async () => {
    await addKey(world.api, 'key-gone', 'integrator-1', 'a-key-that-goes-0123456789');
    const session = await world.signIn('a-key-that-goes-0123456789');
    const read = () => world.call('GET', '/dashboard/api/requests/v3', { headers: session.headers });
    expect((await read()).status).toBe(200);
    const revoked = await world.call('POST', '/admin/keys/revoke', {
      json: { keyId: 'key-gone' },
      headers: { 'x-admin-key': ADMIN_KEY },
    });
    expect(revoked.status).toBe(200);
    expect(await read()).toMatchObject({ status: 401, body: { errorCode: 'UNAUTHORIZED' } });
    const write = await world.call('POST', '/dashboard/api/quote/v2', { json: {}, headers: session.headers });
    expect(write.status).toBe(401);
    expect((await world.call('GET', '/dashboard/session', { headers: session.headers })).status).toBe(401);
  });
});

describe('several processes of one database', () => {
  it('accept a session of each other, and lose it together', async () => {
    const other = await dashboardWorld({}, true, undefined, { store: world.api.store });
    const status = async (at: DashboardWorld, { cookie }: { readonly cookie: string }) =>
      (await at.call('GET', '/dashboard/api/requests/v3', { headers: { cookie } })).status;
    await addKey(world.api, 'key-shared', 'integrator-1', 'a-key-of-both-0123456789');
    const [one, two] = [await world.signIn('a-key-of-both-0123456789'), await other.signIn('a-key-of-both-0123456789')];
    for (const at of [world, other]) expect([await status(at, one), await status(at, two)]).toEqual([200, 200]);
    const quote = await other.call('POST', '/dashboard/api/quote/v2', { json: {}, headers: one.headers });
    expect(quote.status, 'past the token of the session').toBe(400);
    expect((await other.call('DELETE', '/dashboard/session', { headers: one.headers })).status).toBe(204);
    expect([await status(world, one), await status(world, two)]).toEqual([401, 200]);
    const { body } = await world.call('POST', '/dashboard/session/link', { headers: { 'x-admin-key': ADMIN_KEY } });
    const [, link] = body.path.split('#link=');
    const uses = [world, other].map((at) => at.call('POST', '/dashboard/session', { json: { link } }));
    expect((await Promise.all(uses)).map((reply) => reply.status).sort()).toEqual([200, 401]);
    const revoke = { json: { keyId: 'key-shared' }, headers: { 'x-admin-key': ADMIN_KEY } };
    await world.call('POST', '/admin/keys/revoke', revoke);
    for (const at of [world, other]) expect(await status(at, two)).toBe(401);
    await other.close();
  });

  it('keep nothing that opens a session', async () => {
    const { cookie, csrf } = await world.signIn(API_KEY);
    const [, owner = '', secret = ''] = /=([\w-]+)\.([\w-]{43})/.exec(cookie) ?? [];
    const row = await world.api.store.meta(`plugin:dashboard:sessions:${owner}`);
    expect(row?.value).toContain('hash');
    for (const text of [secret, csrf, API_KEY]) expect(row?.value).not.toContain(text);
  });
});

describe('the REST interface through a session', () => {
  it('answers as it answers its key, and no more', async () => {
    const session = await world.signIn(API_KEY);
    for (const path of [
      '/chains',
      '/requests/v3?limit=5',
      '/webhooks/endpoints',
      '/lives?withReport=true',
      '/nothing',
    ]) {
      const direct = await world.call('GET', path, { headers: { 'x-api-key': API_KEY } });
      const through = await world.call('GET', `/dashboard/api${path}`, { headers: { cookie: session.cookie } });
      expect({ path, status: through.status, type: through.headers['content-type'] }).toEqual({
        ...{ path, status: direct.status, type: direct.headers['content-type'] },
      });
      if (!path.startsWith('/lives')) expect(through.text, path).toBe(direct.text);
    }
  });

  it('gives operators’ routes to admins alone', async () => {
    const admin = await world.signIn(ADMIN_KEY);
    const integrator = await world.signIn(API_KEY);
    const get = (path: string, cookie?: string) =>
      world.call('GET', `/dashboard/api${path}`, { headers: cookie === undefined ? {} : { cookie } });
    for (const path of ['/admin/keys', '/admin/audit', '/admin/alerts', '/metrics']) {
      expect((await get(path, admin.cookie)).status, path).toBe(200);
      expect(await get(path, integrator.cookie), path).toMatchObject({ status: 403, body: { errorCode: 'FORBIDDEN' } });
      expect((await get(path)).status, path).toBe(401);
    }
    const pause = { json: { scope: 'all' } };
    const posted = (headers: Readonly<Record<string, string>>) =>
      world.call('POST', '/dashboard/api/admin/pause', { ...pause, headers });
    expect((await posted(integrator.headers)).status).toBe(403);
    expect((await posted(admin.headers)).status).toBe(200);
  });

  it('uses the session alone: keys sent with the call count for nothing', async () => {
    const integrator = await world.signIn(API_KEY);
    const keys = { 'x-admin-key': ADMIN_KEY, authorization: `Bearer ${ADMIN_KEY}` };
    for (const headers of [{ ...integrator.headers, ...keys }, keys])
      expect((await world.call('GET', '/dashboard/api/admin/keys', { headers })).status).toBeGreaterThan(400);
    const without = await world.call('GET', '/dashboard/api/requests/v3', { headers: { 'x-api-key': API_KEY } });
    expect(without.status).toBe(401);
    const stream = await world.call('GET', `/dashboard/api/events?apiKey=${API_KEY}`);
    expect(stream.status).toBe(401);
  });

  it('keeps what is of one integrator from another', async () => {
    const [own, other] = [await world.signIn(API_KEY), await world.signIn(OTHER_KEY)];
    const made = await world.call('POST', '/dashboard/api/webhooks/endpoints', {
      json: { url: 'https://example.com/hook' },
      headers: own.headers,
    });
    expect(made.status).toBe(200);
    const id = made.body.endpoint.id as string;
    const list = async ({ cookie }: { readonly cookie: string }) =>
      (await world.call('GET', '/dashboard/api/webhooks/endpoints', { headers: { cookie } })).text;
    expect(await list(own)).toContain(id);
    expect(await list(other)).not.toContain(id);
    const test = await world.call('POST', `/dashboard/api/webhooks/endpoints/${id}/test`, {
      ...{ json: {}, headers: other.headers },
    });
    expect(test.status).toBe(404);
  });

  it('streams the events of the key, and no events without one', async () => {
    const { cookie } = await world.signIn(API_KEY);
    const controller = new AbortController();
    const response = await fetch(`${world.api.url}/dashboard/api/events`, {
      headers: { cookie },
      signal: controller.signal,
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).not.toBe('');
    controller.abort();
    expect((await world.call('GET', '/dashboard/api/events')).status).toBe(401);
  });

  it('lets admins search all requests, and without a session what is open', async () => {
    const { cookie } = await world.signIn(ADMIN_KEY);
    expect((await world.call('GET', '/dashboard/api/requests/v3', { headers: { cookie } })).status).toBe(200);
    expect((await world.call('GET', '/dashboard/api/chains')).status).toBe(200);
    const quote = await world.call('POST', '/dashboard/api/quote/v2', { json: {} });
    expect([quote.status, quote.body.errorCode]).toEqual([400, 'INVALID_REQUEST']);
  });
});

describe('attacks', () => {
  it.each(UNSAFE)('forges no %s: each needs the token that no other page can read', async (method) => {
    const { cookie, csrf } = await world.signIn(ADMIN_KEY);
    const forged = [{}, { 'x-causeway-csrf': '' }, { 'x-causeway-csrf': 'x'.repeat(43) }, { 'x-csrf': csrf }];
    for (const headers of forged) {
      const sent = { headers: { cookie, ...headers }, json: { scope: 'all' } };
      expect((await world.call(method, '/dashboard/api/admin/pause', sent)).status).toBe(403);
    }
    const right = { headers: { cookie, 'x-causeway-csrf': csrf }, json: { scope: 'all' } };
    expect((await world.call(method, '/dashboard/api/admin/pause', right)).status).toBe(method === 'POST' ? 200 : 405);
    const paths = ['/dashboard/session'];
    if (method === 'DELETE')
      for (const path of paths) expect((await world.call(method, path, { headers: { cookie } })).status).toBe(403);
  });

  it.each(['cross-site', 'same-site'])('lets no %s page use a session or open one', async (site) => {
    const session = await world.signIn(ADMIN_KEY);
    const headers = { ...session.headers, 'sec-fetch-site': site };
    expect((await world.call('GET', '/dashboard/api/admin/keys', { headers })).status).toBe(401);
    expect((await world.call('GET', '/dashboard/session', { headers })).status).toBe(401);
    const pause = await world.call('POST', '/dashboard/api/admin/pause', { headers, json: { scope: 'all' } });
    expect(pause.status).toBe(403);
    const opened = await world.call('POST', '/dashboard/session', {
      ...{ headers: { 'sec-fetch-site': site }, json: { key: API_KEY } },
    });
    expect([opened.status, opened.headers['set-cookie']]).toEqual([403, undefined]);
    const own = { ...session.headers, 'sec-fetch-site': 'same-origin' };
    expect((await world.call('GET', '/dashboard/api/admin/keys', { headers: own })).status).toBe(200);
  });

  it('lets no other origin read with credentials', async () => {
    const { cookie } = await world.signIn(API_KEY);
    const { headers } = await world.call('GET', '/dashboard/session', {
      headers: { cookie, origin: 'https://evil.example' },
    });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    const preflight = await world.call('OPTIONS', '/dashboard/session', {
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' },
    });
    expect(preflight.headers['access-control-allow-credentials']).toBeUndefined();
    expect(preflight.headers['access-control-allow-methods']).not.toContain('DELETE');
  });

  it('trusts no cookie that another service of the host has added', async () => {
    const [victim, attacker] = [await world.signIn(ADMIN_KEY), await world.signIn(OTHER_KEY)];
    for (const cookie of [`${attacker.cookie}; ${victim.cookie}`, `${victim.cookie}; causeway_dashboard=x`]) {
      expect((await world.call('GET', '/dashboard/session', { headers: { cookie } })).status).toBe(401);
      expect((await world.call('GET', '/dashboard/api/chains', { headers: { cookie } })).status).toBe(401);
    }
    const others = `session=1; causeway_dashboards=2; ${victim.cookie}; x=causeway_dashboard=3`;
    expect((await world.call('GET', '/dashboard/session', { headers: { cookie: others } })).status).toBe(200);
    for (const bad of ['', 'a', '%00', '__proto__', 'x'.repeat(4_000)]) {
      const cookie = `causeway_dashboard=${bad}`;
      expect((await world.call('GET', '/dashboard/session', { headers: { cookie } })).status).toBe(401);
    }
  });

  it('shows pages in no frame, and runs nothing from elsewhere', async () => {
    for (const path of ['/dashboard/', '/dashboard/requests/0x1', '/dashboard/session', '/dashboard/api/chains']) {
      const { headers } = await world.call('GET', path);
      expect(headers['x-frame-options'], path).toBe('DENY');
      expect(headers['content-security-policy'], path).toContain("frame-ancestors 'none'");
      expect(headers['content-security-policy'], path).toContain("default-src 'none'");
      expect(headers['content-security-policy'], path).not.toMatch(/unsafe|\*|https?:/);
      expect(headers['x-content-type-options'], path).toBe('nosniff');
      expect(headers['referrer-policy'], path).toBe('no-referrer');
    }
  });

  it.each([
    '/dashboard/../package.json',
    '/dashboard/assets/../../../package.json',
    '/dashboard/assets/%2e%2e/%2e%2e/package.json',
    '/dashboard/assets/..%2f..%2fpackage.json',
    '/dashboard/assets/..%5c..%5cpackage.json',
    '/dashboard//etc/passwd',
    '/dashboard/assets//etc/passwd',
    '/dashboard/assets/%00',
    '/dashboard/assets/x%',
    '/dashboard/assets/__proto__',
  ])('finds no file outside of the build by %s', async (path) => {
    const { status, text } = await world.call('GET', path);
    expect([200, 400, 404, 503]).toContain(status);
    expect(text).not.toContain('root:');
    expect(text).not.toContain('"dependencies"');
    expect(text).not.toContain('@causeway/plugin-dashboard');
  });

  it('forwards to the REST interface alone, never to a plugin and never in a circle', async () => {
    for (const path of [
      '/dashboard/api',
      '/dashboard/api/dashboard/api/chains',
      '/dashboard/api/plugins/hello/world',
      '/dashboard/api//chains',
    ])
      expect((await world.call('GET', path)).status, path).toBe(404);
    expect((await world.call('PUT', '/dashboard/api/chains')).status).toBe(405);
  });
});

describe('routes of plugins', () => {
  const route = (over: Partial<MountedRoute['route']>, at = '/extra'): MountedRoute => ({
    owner: 'extra',
    at,
    route: { method: 'GET', path: '/x', access: 'open', handle: () => ({ json: { ok: true } }), ...over },
  });

  it('take methods, access, text, bytes and streams, and leave nothing where they are gone', async () => {
    async function* parts() {
      yield 'one ';
      yield new TextEncoder().encode('two');
    }
    world.routes.push(
      route({}),
      route({ method: 'PUT', handle: async ({ json }) => ({ json: await json() }) } as Partial<MountedRoute['route']>),
      route({ path: '/key', access: 'key', handle: ({ caller }) => ({ json: caller }) }),
      route({ path: '/admin', access: 'admin', handle: ({ caller }) => ({ json: caller }) }),
      route({
        path: '/bytes',
        handle: () => ({ status: 201, body: new Uint8Array([1, 2]), contentType: 'image/png' }),
      }),
      route({ path: '/stream', handle: () => ({ stream: parts(), contentType: 'text/plain' }) }),
      route({ path: '/throws', handle: () => Promise.reject(new Error('secret detail')) }),
    );
    const call = (path: string, headers = {}) => world.call('GET', `/extra${path}`, { headers });
    expect((await call('/x?y=1')).body).toEqual({ ok: true });
    expect((await world.call('PUT', '/extra/x', { json: [1] })).body).toEqual([1]);
    expect(await world.call('POST', '/extra/x')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, PUT' } });
    expect((await call('/key')).status).toBe(401);
    expect((await call('/key', { 'x-api-key': 'wrong' })).status).toBe(401);
    expect((await call('/key', { 'x-api-key': API_KEY })).body).toMatchObject({ role: 'integrator', keyId: 'key-1' });
    expect((await call('/admin', { 'x-api-key': API_KEY })).status).toBe(401);
    expect((await call('/admin', { 'x-admin-key': ADMIN_KEY })).body).toEqual({ role: 'admin' });
    expect(await call('/bytes')).toMatchObject({ status: 201, headers: { 'content-type': 'image/png' } });
    expect((await call('/stream')).text).toBe('one two');
    const failed = await call('/throws');
    expect([failed.status, failed.text.includes('secret detail')]).toEqual([500, false]);
    const head = await world.call('HEAD', '/extra/x');
    expect([head.status, head.text]).toEqual([200, '']);
    world.routes.length = 0;
    expect((await call('/x')).status).toBe(404);
    expect((await world.call('PUT', '/extra/x')).status).toBe(404);
  });

  it('never take a path of the service', async () => {
    world.routes.push(route({ path: '/keys' }, '/admin'), route({ path: '/new' }, '/chains'));
    expect((await world.call('GET', '/admin/keys')).status).toBe(401);
    expect((await world.call('GET', '/chains/new')).status).toBe(404);
    world.routes.length = 0;
  });
});
