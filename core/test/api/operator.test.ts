import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OperatorOutcome } from '../../src/engine/index.js';
import { ADMIN_KEY, type RunningApi, runningApi } from './support/running-api.js';

const ID = `0x${'ab'.repeat(32)}`;
const SIGNER = `0x${'cd'.repeat(20)}`;
const headers = { 'x-admin-key': ADMIN_KEY };

let api: RunningApi;

beforeAll(async () => {
  api = await runningApi();
});

beforeEach(() => {
  api.engine.commands.length = 0;
  api.engine.outcome = { ok: true, state: 'owed', message: 'it is owed', legId: 'refund:x' };
});

afterAll(async () => {
  await api.close();
});

const post = (path: string, body: unknown) => api.call('POST', path, { body, headers });

describe('operator commands', () => {
  it('need the admin key', async () => {
    for (const path of ['/admin/refund', '/admin/holds/release', '/admin/lanes/resume'])
      expect((await api.call('POST', path, { body: {} })).status, path).toBe(401);
    expect(api.engine.commands).toEqual([]);
  });

  it('reach the engine with ids in their one spelling', async () => {
    const upper = `0x${ID.slice(2).toUpperCase()}`;
    expect((await post('/admin/refund', { requestId: upper })).body).toEqual(api.engine.outcome);
    await post('/admin/holds/release', { holdId: 'hold:refund:1' });
    await post('/admin/holds/release', { holdId: 'hold:refund:1', to: 'somewhere' });
    await post('/admin/holds/release', { holdId: 'stray:1', unpaid: true });
    await post('/admin/lanes/resume', { chainId: 1, signer: SIGNER });
    expect(api.engine.commands).toEqual([
      `refund ${ID}`,
      'release hold:refund:1',
      'release hold:refund:1 to somewhere',
      'release stray:1 unpaid',
      `resume 1 ${SIGNER}`,
    ]);
  });

  it.each([
    ['/admin/refund', {}, 'requestId'],
    ['/admin/refund', { requestId: '0x12' }, 'requestId'],
    ['/admin/refund', { requestId: 5 }, 'requestId'],
    ['/admin/holds/release', { holdId: '' }, 'holdId'],
    ['/admin/lanes/resume', { chainId: 'one', signer: SIGNER }, 'chainId'],
    ['/admin/lanes/resume', { chainId: 77, signer: SIGNER }, 'chainId'],
    ['/admin/lanes/resume', { chainId: 1, signer: '' }, 'signer'],
  ])('%s %j is refused, naming the field', async (path, body, field) => {
    const reply = await post(path, body);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ errorCode: 'INVALID_REQUEST', errorData: { field } });
    expect(api.engine.commands).toEqual([]);
  });

  it.each([
    ['notFound', 404],
    ['notSafe', 409],
    ['notApplicable', 409],
    ['invalid', 400],
  ] as const)('that are %s answer %i and why', async (code, status) => {
    const refusal: OperatorOutcome = { ok: false, code, message: 'wait for its fill' };
    api.engine.outcome = refusal;
    const reply = await post('/admin/refund', { requestId: ID });
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({
      message: 'wait for its fill',
      statusCode: status,
      errorData: { field: 'requestId', why: code },
    });
  });
});

describe('the books of the operator', () => {
  const body = { withdrawalId: 'w1', chainId: 1, currency: 'ETH', recipient: SIGNER, amount: '5' };

  it('need the admin key', async () => {
    for (const path of ['/admin/inventory', '/admin/report?from=0&to=1'])
      expect((await api.call('GET', path, {})).status, path).toBe(401);
    expect((await api.call('POST', '/admin/withdraw', { body })).status).toBe(401);
  });

  it('show the inventory per chain and currency', async () => {
    const { status, body: shown } = await api.call('GET', '/admin/inventory', { headers });
    expect(status).toBe(200);
    const { inventory } = shown as { readonly inventory: readonly Record<string, unknown>[] };
    expect(inventory.find(({ chainId, symbol }) => chainId === 1 && symbol === 'ETH')).toMatchObject({
      ...{ held: (10n ** 24n).toString(), target: null, usd: '2000' },
    });
  });

  it.each([
    ['from=5&to=5', 'to'],
    ['from=-1&to=5', 'from'],
    ['to=5', 'from'],
    ['from=0&to=5&continuation=nonsense', 'continuation'],
    [`from=0&to=5&continuation=${Buffer.from('[0,6,1,"g","a"]').toString('base64url')}`, 'continuation'],
    [`from=0&to=5&continuation=${Buffer.from('[0,5,7,"g","a"]').toString('base64url')}`, 'continuation'],
    [`from=0&to=5&continuation=${Buffer.from('[0,5,1,"g",{}]').toString('base64url')}`, 'continuation'],
  ])('report of %s is refused, naming the field', async (query, field) => {
    const reply = await api.call('GET', `/admin/report?${query}`, { headers });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ errorCode: 'INVALID_REQUEST', errorData: { field } });
  });

  it('report what was booked', async () => {
    const { status, body: shown } = await api.call('GET', `/admin/report?from=0&to=${8_640_000_000_000_000}`, {
      headers,
    });
    expect(status).toBe(200);
    expect((shown as { readonly accounts: readonly unknown[] }).accounts.length).toBeGreaterThan(0);
  });

  it.each([
    [{ withdrawalId: 'a:b' }, 'withdrawalId'],
    [{ withdrawalId: undefined }, 'withdrawalId'],
    [{ chainId: 77 }, 'chainId'],
    [{ currency: 'NONE' }, 'currency'],
    [{ amount: '0' }, 'amount'],
    [{ amount: '-1' }, 'amount'],
    [{ amount: '9'.repeat(78) }, 'amount'],
    [{ recipient: 'nowhere' }, 'recipient'],
  ])('withdraw %o is refused, naming the field', async (change, field) => {
    const reply = await post('/admin/withdraw', { ...body, ...change });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ errorCode: 'INVALID_REQUEST', errorData: { field } });
  });
});
