import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryRow, EndpointRow } from '../../src/contract/index.js';
import { apiKeyRow, deliveryRow, eventRow, insert, requestId, requestRow } from '../../src/testing/store-fixtures.js';
import { ADMIN_KEY, API_KEY, type RunningApi, runningApi } from './support/running-api.js';

let api: RunningApi;

const OTHER = 'cw_another-integrators-key';
const NARROW = 'cw_a-key-without-the-scope';
const hashed = (key: string) => createHash('sha256').update(key).digest('hex');

const as = (key: string) => ({ headers: { 'x-api-key': key } });
const ADMIN = { headers: { 'x-admin-key': ADMIN_KEY } };
const get = (path: string, who: object = as(API_KEY)) => api.call('GET', path, who);
const post = (path: string, body: unknown = {}, who: object = as(API_KEY)) => api.call('POST', path, { ...who, body });

async function apply(...changes: Parameters<RunningApi['store']['apply']>[0]['changes']): Promise<void> {
  const outcome = await api.store.apply({ name: 'test', changes });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
}

async function registered(body: object = {}, who: object = as(API_KEY)): Promise<{ id: string; secret: string }> {
  const made = await post('/webhooks/endpoints', { url: 'https://example.com/hook', ...body }, who);
  expect(made).toMatchObject({ status: 200 });
  return { id: made.body.endpoint.id, secret: made.body.secret };
}

beforeAll(async () => {
  api = await runningApi();
  const key = (n: number, secret: string, over: object) =>
    insert('apiKeys', apiKeyRow(n, { hash: hashed(secret), scopes: '["*"]', ...over }));
  await apply(
    insert('integrators', { id: 'integrator-1', version: 1, name: 'One', fundingAddress: null, createdAt: 1 }),
    insert('integrators', { id: 'integrator-2', version: 1, name: 'Two', fundingAddress: null, createdAt: 2 }),
    key(2, OTHER, { id: 'key-other', integratorId: 'integrator-2' }),
    key(3, NARROW, { id: 'key-narrow', integratorId: 'integrator-1', scopes: '["quote"]' }),
  );
});
afterAll(() => api.close());
beforeEach(() => {
  api.channel.reported.length = 0;
  api.channel.outcome = { outcome: 'delivered', answer: { status: 204, body: '' } };
});

describe('endpoints', () => {
  it('are registered, listed, changed and removed, and their secrets shown once', async () => {
    const wishes = {
      description: 'shop',
      statuses: ['success'],
      chains: [1],
      headers: { authorization: 'Bearer hush' },
    };
    const { id, secret } = await registered(wishes);
    expect(secret).toMatch(/^secret-/);
    const { endpoint } = (await get(`/webhooks/endpoints/${id}`)).body;
    expect(endpoint).toMatchObject({
      ...{ id, integratorId: 'integrator-1', url: 'https://example.com/hook', description: 'shop', state: 'active' },
      ...{ statuses: ['success'], chains: [1], keys: [], signatures: ['standard'], reason: null },
    });
    const row = await api.store.endpoint(id);
    const all = JSON.stringify([endpoint, (await get('/webhooks/endpoints')).body, row, api.logs]);
    for (const hidden of [secret, 'hush']) expect(all).not.toContain(hidden);
    expect((await get('/webhooks/endpoints')).body.endpoints).toContainEqual(endpoint);
    const changed = await post(`/webhooks/endpoints/${id}`, { url: 'https://example.com/other', statuses: [] });
    expect(changed.body.endpoint).toMatchObject({ url: 'https://example.com/other', statuses: [], chains: [1] });
    await post(`/webhooks/endpoints/${id}/test`);
    expect(api.channel.reported.at(-1)?.endpoint).toMatchObject({
      ...{ url: 'https://example.com/other', secrets: [secret], headers: { authorization: 'Bearer hush' } },
    });
    expect((await post(`/webhooks/endpoints/${id}/remove`)).body).toEqual({ removed: id });
    expect(await get(`/webhooks/endpoints/${id}`)).toMatchObject({ status: 404 });
    expect(await api.store.endpoint(id)).toMatchObject({ state: 'removed', sealed: null });
  });

  it('of another origin get neither the headers nor the secrets of the one before, unless they are given again', async () => {
    const headers = { authorization: 'Bearer hush' };
    const { id, secret } = await registered({ headers });
    const moved = async (body: object) => {
      const { status, body: answer } = await post(`/webhooks/endpoints/${id}`, body);
      await post(`/webhooks/endpoints/${id}/test`);
      const { url, secrets, headers: sent } = api.channel.reported.at(-1)?.endpoint ?? expect.fail('it was told');
      return { status, fresh: answer.secret, url, secrets, headers: sent };
    };
    const away = await moved({ url: 'https://example.com:8443/hook' });
    expect(away).toMatchObject({ status: 200, secrets: [away.fresh], headers: {} });
    expect(away.fresh).not.toBe(secret);
    for (const wrong of [secret, 'secret-guess']) {
      const refused = await moved({ url: 'https://third.example.com', secret: wrong });
      expect(refused).toMatchObject({ status: 400, url: 'https://example.com:8443/hook' });
    }
    expect(await moved({ url: 'https://third.example.com/', headers, secret: away.fresh })).toEqual({
      ...{ status: 200, fresh: undefined, url: 'https://third.example.com/', secrets: [away.fresh], headers },
    });
    expect(await moved({ url: 'https://third.example.com/other' })).toMatchObject({ secrets: [away.fresh], headers });
  });

  it('are disabled and enabled by their owner', async () => {
    const { id } = await registered();
    const disabled = (await post(`/webhooks/endpoints/${id}`, { enabled: false })).body.endpoint;
    expect(disabled).toMatchObject({ state: 'disabled', reason: 'its owner disabled it' });
    const enabled = (await post(`/webhooks/endpoints/${id}`, { enabled: true })).body.endpoint;
    expect(enabled).toMatchObject({ state: 'active', reason: null, failingSince: null });
  });

  it('are rotated without a body, and with a day of overlap', async () => {
    const { id, secret } = await registered();
    const path = `/webhooks/endpoints/${id}/rotate`;
    const made = await api.call('POST', path, as(API_KEY));
    expect(made).toMatchObject({ status: 200, body: { endpoint: { id } } });
    await post(`/webhooks/endpoints/${id}/test`);
    expect(api.channel.reported.at(-1)?.endpoint.secrets).toEqual([made.body.secret, secret]);
    const half = { ...as(API_KEY), raw: '{' };
    expect((await api.call('POST', path, half)).status).toBe(400);
  });

  it('sign with the old secret in addition to the new one for the overlap', async () => {
    const { id, secret } = await registered();
    const second = (await post(`/webhooks/endpoints/${id}/rotate`, { overlapSeconds: 60 })).body.secret;
    const signing = async () => {
      await post(`/webhooks/endpoints/${id}/test`);
      return api.channel.reported.at(-1)?.endpoint.secrets;
    };
    expect(await signing()).toEqual([second, secret]);
    api.clock.offset += 61_000;
    expect(await signing()).toEqual([second]);
    const third = (await post(`/webhooks/endpoints/${id}/rotate`, { overlapSeconds: 0 })).body.secret;
    expect(await signing()).toEqual([third]);
    api.clock.offset = 0;
  });

  it('report the result of a test', async () => {
    const { id } = await registered();
    api.channel.outcome = { outcome: 'retry', afterMs: 0, why: 'it answers 500', answer: { status: 500, body: 'oh' } };
    expect((await post(`/webhooks/endpoints/${id}/test`)).body).toMatchObject({
      ...{ delivered: false, reason: 'it answers 500', answer: { status: 500, body: 'oh' } },
    });
    const [{ event } = {}] = api.channel.reported;
    expect(event).toMatchObject({
      kind: 'endpoint.test',
      payload: { event: 'endpoint.test', data: { endpointId: id } },
    });
  });

  it('belong to their integrator, and the admin key deals with all', async () => {
    const { id } = await registered();
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['POST', '/rotate'],
      ['POST', '/remove'],
      ['POST', '/test'],
    ] as const) {
      const body = method === 'POST' ? { body: {} } : {};
      expect(await api.call(method, `/webhooks/endpoints/${id}${path}`, { ...as(OTHER), ...body })).toMatchObject({
        status: 404,
      });
    }
    expect(await post(`/webhooks/endpoints/${id}/replay`, { since: 1 }, as(OTHER))).toMatchObject({ status: 404 });
    expect((await get('/webhooks/endpoints', as(OTHER))).body.endpoints).toEqual([]);
    expect(await get('/webhooks/endpoints', {})).toMatchObject({ status: 401 });
    expect(await get('/webhooks/endpoints', as(NARROW))).toMatchObject({ status: 403 });
    const ofTwo = await registered({ integratorId: 'integrator-2' }, ADMIN);
    const listed = async (query: string, who: object) =>
      (await get(`/webhooks/endpoints${query}`, who)).body.endpoints.map((one: { id: string }) => one.id);
    expect(await listed('', as(OTHER))).toEqual([ofTwo.id]);
    expect(await listed('?integratorId=integrator-2', ADMIN)).toEqual([ofTwo.id]);
    expect(await listed('', ADMIN)).toEqual(expect.arrayContaining([id, ofTwo.id]));
    expect(await get(`/webhooks/endpoints/${id}`, ADMIN)).toMatchObject({ status: 200 });
  });

  it.each([
    ['url', { url: 'ftp://example.com' }],
    ['url', { url: 'https://inside.example.com' }],
    ['statuses', { statuses: ['paid'] }],
    ['chains', { chains: [77] }],
    ['keys', { keys: ['key-other'] }],
    ['signatures', { signatures: [] }],
    ['headers', { headers: { 'a b': 'c' } }],
    ['integratorId', { integratorId: 'integrator-2' }],
  ])('are refused for a bad %s', async (field, wrong) => {
    const before = (await get('/webhooks/endpoints')).body.endpoints.length;
    const refused = await post('/webhooks/endpoints', { url: 'https://example.com/hook', ...wrong });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'INVALID_REQUEST' } });
    expect(refused.body.errorData.field).toContain(field);
    expect((await get('/webhooks/endpoints')).body.endpoints).toHaveLength(before);
  });

  it('are tested one test at a time', async () => {
    const { id } = await registered();
    let answer: () => void = () => undefined;
    api.channel.answering = new Promise((resolve) => {
      answer = resolve;
    });
    const first = post(`/webhooks/endpoints/${id}/test`);
    while (api.channel.reported.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await post(`/webhooks/endpoints/${id}/test`)).toMatchObject({ status: 409 });
    answer();
    expect((await first).status).toBe(200);
    expect(await post(`/webhooks/endpoints/${id}/test`)).toMatchObject({ status: 200 });
  });

  it('are at most twenty', async () => {
    const body = { integratorId: 'integrator-2' };
    for (let made = (await get('/webhooks/endpoints', as(OTHER))).body.endpoints.length; made < 20; made += 1)
      await registered(body, ADMIN);
    const url = 'https://example.com/hook';
    expect(await post('/webhooks/endpoints', { url }, as(OTHER))).toMatchObject({ status: 409 });
  });
});

describe('deliveries', () => {
  let first: string;
  let second: string;
  const row = (endpointId: string, n: number, over: Partial<DeliveryRow> = {}) => {
    const { id: eventId } = eventRow(n);
    return insert('deliveries', deliveryRow(n, { id: `${endpointId}/${eventId}`, endpointId, eventId, ...over }));
  };

  beforeAll(async () => {
    const id = async () => (await registered()).id;
    [first, second] = [await id(), await id()];
    const key = { keyId: 'key-1' };
    await apply(
      ...[1, 2, 3, 4].map((n) => insert('requests', requestRow(n, n === 4 ? { keyId: 'key-other' } : key))),
      ...[1, 2, 3, 4].map((n) => insert('events', eventRow(n, { id: `${requestId(n)}:1`, requestId: requestId(n) }))),
    );
    const of = (n: number) => ({ eventId: `${requestId(n)}:1` });
    await apply(
      row(first, 1, { ...of(1), id: `${first}/${requestId(1)}:1`, state: 'delivered', answerStatus: 204, answer: '' }),
      row(first, 2, {
        ...of(2),
        id: `${first}/${requestId(2)}:1`,
        state: 'failed',
        lastError: 'it answers 500',
        answerStatus: 500,
        answer: 'oh',
      }),
      row(second, 2, { ...of(2), id: `${second}/${requestId(2)}:1`, state: 'due' }),
    );
  });

  const listed = async (query: string) =>
    (await get(`/webhooks/deliveries${query}`)).body.deliveries.map(({ id }: { id: string }) => id);

  it('are listed by endpoint, state and request, page by page', async () => {
    const [one, two, three] = [
      `${first}/${requestId(1)}:1`,
      `${first}/${requestId(2)}:1`,
      `${second}/${requestId(2)}:1`,
    ];
    const latest = [two, three].sort();
    expect(await listed('')).toEqual([...latest, one]);
    expect(await listed(`?endpointId=${first}`)).toEqual([two, one]);
    expect(await listed('?state=failed')).toEqual([two]);
    expect(await listed('?state=pending')).toEqual([three]);
    expect(await listed('?state=delivered')).toEqual([one]);
    expect(await listed(`?requestId=${requestId(2)}`)).toEqual(latest);
    expect(await listed(`?requestId=${requestId(2)}&state=failed`)).toEqual([two]);
    const walked: string[] = [];
    for (let query = '?limit=1'; query !== ''; ) {
      const page = (await get(`/webhooks/deliveries${query}`)).body;
      walked.push(...page.deliveries.map(({ id }: { id: string }) => id));
      query = page.continuation === undefined ? '' : `?limit=1&continuation=${page.continuation}`;
    }
    expect(walked).toEqual([...latest, one]);
    const [failed] = (await get('/webhooks/deliveries?state=failed')).body.deliveries;
    expect(failed).toMatchObject({
      ...{ state: 'failed', reason: 'it answers 500', answer: { status: 500, body: 'oh' }, nextAttemptAt: null },
    });
    expect((await get('/webhooks/deliveries', as(OTHER))).body.deliveries).toEqual([]);
    expect(await get(`/webhooks/deliveries?endpointId=${first}`, as(OTHER))).toMatchObject({ status: 404 });
    expect(await get('/webhooks/deliveries?requestId=x')).toMatchObject({ status: 400 });
  });

  it('of a notifier of the config are for an operator alone', async () => {
    const notifier = 'webhooks-shop';
    const endpoint = {
      ...((await api.store.endpoints())[0] as EndpointRow),
      id: notifier,
      version: 1,
      state: 'active' as const,
    };
    const row = deliveryRow(1, { id: `${notifier}/e:1`, endpointId: notifier, state: 'delivered' });
    const own = { integratorId: null, url: null, settings: '{}', sealed: null };
    await apply(insert('endpoints', { ...endpoint, ...own }), insert('deliveries', row));
    const path = `/webhooks/deliveries?endpointId=${notifier}`;
    expect((await get(path, ADMIN)).body.deliveries).toMatchObject([{ id: row.id, endpointId: notifier }]);
    expect((await get('/webhooks/deliveries', ADMIN)).body.deliveries).toContainEqual(
      expect.objectContaining({ id: row.id }),
    );
    expect(await get(path)).toMatchObject({ status: 404 });
    expect(JSON.stringify((await get('/webhooks/deliveries')).body)).not.toContain(row.id);
    const wish = { ids: [row.id] };
    expect(await post('/webhooks/deliveries/replay', wish)).toMatchObject({ status: 404 });
    expect((await post('/webhooks/deliveries/replay', wish, ADMIN)).body).toEqual({ replayed: [row.id], left: [] });
    expect((await api.store.deliveries([row.id]))[0]).toMatchObject({ state: 'again' });
    // Configured notifiers cannot be changed.
    expect((await get(`/webhooks/endpoints/${notifier}`, ADMIN)).status).toBe(400);
  });

  it('are wanted again, unless they are pending', async () => {
    const [failed, due] = [`${first}/${requestId(2)}:1`, `${second}/${requestId(2)}:1`];
    const asked = await post('/webhooks/deliveries/replay', { ids: [failed, due] });
    expect(asked.body).toEqual({ replayed: [failed], left: [due] });
    expect((await api.store.deliveries([failed]))[0]).toMatchObject({ state: 'again' });
    expect(await listed('?state=pending')).toEqual([failed, due].sort());
    expect(await post('/webhooks/deliveries/replay', { ids: [failed] }, as(OTHER))).toMatchObject({ status: 404 });
  });

  it('are wanted again since a time, also of what is older than the endpoint, and never of others', async () => {
    const { id, shard } = (await api.store.endpoint(first)) ?? expect.fail('it is there');
    const mark = (await api.store.meta(`dispatch:${shard}`)) ?? expect.fail('it is there');
    // Events that the dispatcher has not handled are untouched.
    const none = await post(`/webhooks/endpoints/${id}/replay`, { since: 1 });
    expect(none.body).toEqual({ replayed: 0 });
    const set = { value: '4' };
    await apply({ op: 'update', table: 'meta', key: { key: mark.key }, version: mark.version, set });
    const some = await post(`/webhooks/endpoints/${id}/replay`, { since: 1 });
    expect(some.body).toEqual({ replayed: 2 });
    const log = await api.store.deliveriesOf(first, { limit: 10 });
    expect(log.map(({ position, state }) => [position, state])).toEqual([
      [3, 'again'],
      [2, 'again'],
      [1, 'again'],
    ]);
    expect(await post(`/webhooks/endpoints/${id}/replay`, { since: 5, until: 5 })).toMatchObject({ status: 400 });
  });
});
