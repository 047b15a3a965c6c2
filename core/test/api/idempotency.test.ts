import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashKey } from '../../src/api/key-format.js';
import type { Store } from '../../src/contract/store.js';
import { apiKeyRow, changeSet, insert } from '../../src/testing/store-fixtures.js';
import { ask, POLICY, type RunningApi, runningApi, USER, withAdminKey, withKey } from './support/running-api.js';

const OTHER = 'another-key-for-tests-0123456789';
const DAY = 86_400_000;

let api: RunningApi;
/** Another process on the same database. */
let twin: RunningApi;
/** Waits before each change set of the twin. */
let gate: () => Promise<void> = async () => undefined;

const limited = { ...POLICY, mostAddressesPerDay: 3 };

beforeAll(async () => {
  api = await runningApi();
  await api.store.apply(changeSet(insert('apiKeys', apiKeyRow(2, { hash: hashKey(OTHER), integratorId: 'other' }))));
  const store = new Proxy(api.store as Store, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      if (name !== 'apply') return value.bind(target);
      return async (set: Parameters<Store['apply']>[0]) => {
        await gate();
        return target.apply(set);
      };
    },
  });
  twin = await runningApi({ store, policy: limited });
});
afterAll(async () => {
  await twin.close();
  await api.close();
});

beforeEach(() => {
  gate = async () => undefined;
  for (const { a } of [api, twin])
    a.state.depositAddresses = {
      derive: (salt) => `0x${salt.slice(2, 42)}`,
      steps: () => [{ id: 'deposit', action: 'Pay', description: 'Pay', items: [{ data: { to: USER } }] }],
      sweeps: true,
      held: async () => [],
    };
});

let n = 0;
const fresh = () => {
  n += 1;
  return `${n} of "these" tests`;
};

const quote = (key: string, change: object = {}, { by = withKey, at = api, path = '/quote/v2' } = {}) =>
  at.call('POST', path, {
    headers: { ...by.headers, 'Idempotency-Key': key },
    body: ask({ useDepositAddress: true, ...change }),
  });
const addressOf = ({ body }: { readonly body: { readonly steps: { depositAddress: string }[] } }) =>
  body.steps[0]?.depositAddress;
const made = async () => (await api.store.addressesAfter(1, 0, 1_000)).length;

function refusedAs(status: number, words: RegExp, retriable: boolean) {
  const error = { errorCode: 'INVALID_REQUEST', statusCode: status, retriable };
  return {
    status,
    body: { ...error, errorData: { field: 'Idempotency-Key', reason: expect.stringMatching(words) } },
  };
}

describe('Idempotency-Key on a quote that makes a deposit address', () => {
  it('answers the same again, by either path, whatever the order of fields, and after the price is over', async () => {
    const key = fresh();
    const first = await quote(key);
    expect(first.status).toBe(200);
    const before = await made();
    const again = await quote(key, {}, { path: '/quote' });
    expect(again).toMatchObject({ status: 200, body: first.body });
    const turned = Object.fromEntries(Object.entries(ask({ useDepositAddress: true })).reverse());
    const headers = { ...withKey.headers, 'idempotency-key': key };
    expect((await api.call('POST', '/quote/v2', { headers, body: turned })).body).toEqual(first.body);
    api.clock.offset = first.body.details.expiresAt * 2 - Date.now();
    expect((await quote(key)).body).toEqual(first.body);
    api.clock.offset = 0;
    expect(await made()).toBe(before);
  });

  it('makes another address for another key, another caller or without a key', async () => {
    const key = fresh();
    const all = [
      await quote(key),
      await quote(fresh()),
      await quote(key, {}, { by: { headers: { 'x-api-key': OTHER } } }),
      await quote(key, {}, { by: { headers: { 'x-api-key': '' } } }),
      await api.call('POST', '/quote/v2', { ...withKey, body: ask({ useDepositAddress: true }) }),
    ];
    expect(new Set(all.map(addressOf)).size).toBe(5);
  });

  it('answers the same under the key that the API key was rotated to', async () => {
    const ROTATED = 'rotated-key-for-tests-0123456789ab';
    const row = apiKeyRow(3, { hash: hashKey(ROTATED), integratorId: 'rotating' });
    await api.store.apply(changeSet(insert('apiKeys', row)));
    const key = fresh();
    const first = await quote(key, {}, { by: { headers: { 'x-api-key': ROTATED } } });
    let current = row.id;
    for (let rotations = 0; rotations < 2; rotations += 1) {
      const { body } = await api.call('POST', '/admin/keys/rotate', { ...withAdminKey, body: { keyId: current } });
      current = body.key.id;
      const again = await quote(key, {}, { by: { headers: { 'x-api-key': body.secret } } });
      expect(again).toMatchObject({ status: 200, body: first.body });
    }
  });

  it('refuses another body under a key that was used', async () => {
    const key = fresh();
    await quote(key);
    expect(await quote(key, { amount: '99999999' })).toMatchObject(refusedAs(409, /used for another body/, false));
    expect((await quote(key, { unknown: 1 })).status).toBe(409);
  });

  it('keeps nothing of a refused quote', async () => {
    const key = fresh();
    expect((await quote(key, { amount: '1' })).status).toBe(400);
    expect((await quote(key, { strict: true })).body.errorData.field).toBe('refundTo');
    expect((await quote(key)).status).toBe(200);
  });

  it('answers a twin of a request in progress with when to retry', async () => {
    const key = fresh();
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    let first: ReturnType<typeof quote> | undefined;
    await new Promise<void>((waits) => {
      gate = () => {
        waits();
        return opened;
      };
      first = quote(key, {}, { at: twin });
    });
    const second = await quote(key, {}, { at: twin });
    expect(second).toMatchObject(refusedAs(409, /in progress/, true));
    expect(second.headers.get('retry-after')).toBe('1');
    open();
    const { body } = (await first) ?? {};
    expect((await quote(key, {}, { at: twin })).body).toEqual(body);
  });

  it('answers as the process that was faster, and stores nothing of the other', async () => {
    const key = fresh();
    let faster: Awaited<ReturnType<typeof quote>> | undefined;
    gate = async () => {
      faster = await quote(key);
    };
    const before = await made();
    const slower = await quote(key, {}, { at: twin });
    expect(slower.body).toEqual(faster?.body);
    expect(await made()).toBe(before + 1);
    gate = async () => {
      faster = await quote(`${key}!`, { amount: '90000000' });
    };
    expect(await quote(`${key}!`, {}, { at: twin })).toMatchObject(refusedAs(409, /another body/, false));
  });

  it('counts repeats against no budget of addresses, and keys of new addresses against it', async () => {
    const by = { headers: { 'x-api-key': OTHER } };
    const keys = [fresh(), fresh(), fresh()];
    for (const key of keys) expect((await quote(key, {}, { by, at: twin })).status).toBe(200);
    for (const key of keys) expect((await quote(key, {}, { by, at: twin })).status).toBe(200);
    expect((await quote(fresh(), {}, { by, at: twin })).body.errorCode).toBe('RATE_LIMITED');
  });

  it('is forgotten after a day, and not before', async () => {
    const key = fresh();
    const first = await quote(key);
    await api.store.prune(Date.now() + DAY - 60_000);
    expect((await quote(key)).body).toEqual(first.body);
    await api.store.prune(Date.now() + DAY + 60_000);
    expect(addressOf(await quote(key))).not.toBe(addressOf(first));
  });

  it('takes 1 to 255 printable characters', async () => {
    for (const key of ['', 'k'.repeat(256), 'é', 'a\tb'])
      expect(await quote(key), key).toMatchObject({
        status: 400,
        body: { errorCode: 'INVALID_REQUEST', errorData: { field: 'Idempotency-Key' } },
      });
    expect((await quote('~'.repeat(255))).status).toBe(200);
  });

  it('refuses a body that is nested too deeply, and has no effect on a quote without an address', async () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)},${JSON.stringify(ask({ useDepositAddress: true })).slice(1)}`;
    const headers = { ...withKey.headers, 'content-type': 'application/json', 'Idempotency-Key': fresh() };
    const reply = await api.call('POST', '/quote/v2', { raw: deep, headers });
    expect(reply).toMatchObject({ status: 400, body: { errorData: { field: 'body' } } });
    const key = fresh();
    const plain = await quote(key, { useDepositAddress: false });
    const other = await quote(key, { useDepositAddress: false });
    expect(plain.body.steps[0].requestId).not.toBe(other.body.steps[0].requestId);
  });
});
