import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY, ask, type RunningApi, runningApi, withKey } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

const ZERO = 'a\u0000b';
const HALF = 'a\ud83d';
const admin = { 'x-admin-key': ADMIN_KEY };
const refusal = (field: string) => ({
  status: 400,
  body: { errorCode: 'INVALID_REQUEST', errorData: { field, reason: expect.stringContaining('zero characters') } },
});

describe.each([
  ['a zero character', ZERO],
  ['half a surrogate pair', HALF],
])('text with %s', (_, bad) => {
  it.each([
    ['a field', '/quote/v2', ask({ referrer: bad }), 'referrer'],
    [
      'a field of a field',
      '/quote/v2',
      ask({ additionalData: { userPublicKey: bad } }),
      'additionalData.userPublicKey',
    ],
    ['an item of a list', '/price', ask({ excludedSwapSources: ['a', bad] }), 'excludedSwapSources[1]'],
    ['a field that may be anything', '/quote', ask({ slippageTolerance: [{ [bad]: 1 }] }), 'slippageTolerance'],
    ['a field that may be null', '/admin/pause', { scope: 'all', reason: bad }, 'reason'],
    ['a name', '/admin/integrators', { name: bad }, 'name'],
  ])('is refused in %s', async (_where, path, body, field) => {
    expect(await api.call('POST', path, { body, headers: admin })).toMatchObject(refusal(field));
  });

  it('is refused in a group of filters', async () => {
    const filters = encodeURIComponent(JSON.stringify([{ referrer: ['x', bad] }]));
    expect(await api.call('GET', `/requests/v3?filters=${filters}`, withKey)).toMatchObject(
      refusal('filters[0].referrer'),
    );
  });

  it('is refused in a cursor', async () => {
    const parts = JSON.stringify([1, bad, 'hash']);
    const cursor = Buffer.from(parts).toString('base64url');
    const { status, body } = await api.call('GET', `/requests/v3?continuation=${cursor}`, withKey);
    expect([status, body.errorData.field]).toEqual([400, 'continuation']);
  });

  it('passes in fields that no one knows', async () => {
    expect((await api.call('POST', '/quote/v2', { body: ask({ [bad]: bad, unknown: bad }) })).status).toBe(200);
  });
});

it('text with a zero character is refused in queries and paths', async () => {
  expect(await api.call('GET', '/requests/v3?user=%00', withKey)).toMatchObject(refusal('user'));
  expect(await api.call('GET', '/intents/status/v3?requestId=0x%00')).toMatchObject(refusal('requestId'));
  expect(await api.call('GET', '/chains/1/currencies/%00')).toMatchObject(refusal('address'));
});

it('whole pairs and everything else are text', async () => {
  const referrer = '\u0001 \t é 😀 \ufffd \u202e';
  const { status, body } = await api.call('POST', '/quote/v2', { body: ask({ referrer }) });
  expect(status).toBe(200);
  expect((await api.store.quote(body.steps[0].requestId))?.referrer).toBe(referrer);
});

describe('parameters of paths', () => {
  it.each([
    ['/requests/x/signature', 'id'],
    [`/requests/0x${'1'.repeat(63)}/signature/v2`, 'id'],
    ['/chains/one/currencies/x', 'chainId'],
    [`/chains/${'1'.repeat(16)}/currencies/x`, 'chainId'],
    [`/chains/1/currencies/${'x'.repeat(257)}`, 'address'],
    [`/plugins/${'x'.repeat(101)}/y`, 'id'],
    [`/plugins/hello/${'x'.repeat(2_001)}`, 'path'],
  ])('%s is refused by its schema', async (path, field) => {
    expect(await api.call('GET', path)).toMatchObject({
      status: 400,
      body: { errorCode: 'INVALID_REQUEST', errorData: { field, reason: expect.any(String) } },
    });
  });

  it('may be missing where the path lets them', async () => {
    expect((await api.call('GET', '/plugins/hello')).body.errorCode).toBe('NOT_FOUND');
  });
});
