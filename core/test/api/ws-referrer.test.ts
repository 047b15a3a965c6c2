import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { requestOf } from './support/rows.js';
import { API_KEY, ask, type RunningApi, runningApi, USER, withKey } from './support/running-api.js';
import { becomes, type Client, connect } from './support/socket.js';

const SIBLING = 'sibling-key-for-tests-0123456789';
const STRANGER = 'stranger-key-for-tests-0123456789';

let api: RunningApi;
const clients: Client[] = [];
beforeAll(async () => {
  api = await runningApi({
    options: { anonymousRead: 'by-user-or-id', rateLimits: {}, corsOrigins: ['*'], trustedProxies: [] },
  });
  const [known] = await api.store.apiKeys();
  if (!known) throw new Error('no key');
  const keys = [
    ['key-2', SIBLING, known.integratorId],
    ['key-3', STRANGER, 'integrator-2'],
  ] as const;
  for (const [id, key, integratorId] of keys) {
    const row = { ...known, id, integratorId, hash: createHash('sha256').update(key).digest('hex') };
    await api.store.apply({ name: 'test', changes: [{ op: 'insert', table: 'apiKeys', row }] });
  }
});
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.terminate();
});
afterAll(async () => {
  await api.api.close();
  await api.close();
});

async function client(key: string | null): Promise<Client> {
  const one = await connect(api, key === null ? '/ws' : `/ws?apiKey=${key}`);
  clients.push(one);
  await one.next();
  return one;
}

const CALLERS = [
  ['nobody', null, null],
  ['a key of another integrator', STRANGER, null],
  ['the key of the request', API_KEY, 'shop'],
  ['another key of its integrator', SIBLING, 'shop'],
] as const;

describe.each(CALLERS)('the referrer of a request is reported as it may be to %s', (_, key, reported) => {
  it('when a request that is named stands, and when it changes', async () => {
    const { id } = await requestOf(api, {}, { keyId: 'key-1', referrer: 'shop' });
    const one = await client(key);
    one.ask({ id });
    const { position } = (await one.next()).data;
    expect((await one.next()).data).toMatchObject({ requestId: id, referrer: reported });
    await becomes(api, id, 'submitted');
    expect((await one.next()).data).toMatchObject({ status: 'submitted', referrer: reported });
    const again = await client(key);
    again.ask({ id }, { after: position });
    await again.next();
    expect((await again.next()).data).toMatchObject({ status: 'submitted', referrer: reported });
    await becomes(api, id, 'success');
    expect((await again.next()).data).toMatchObject({ status: 'success', referrer: reported });
  });

  it('when the requests of a user are followed, from now on and again', async () => {
    const { id } = await requestOf(api, {}, { user: USER, keyId: 'key-1', referrer: 'shop' });
    const one = await client(key);
    one.ask({ user: USER });
    const { position } = (await one.next()).data;
    await becomes(api, id, 'success');
    expect((await one.next()).data).toMatchObject({ requestId: id, referrer: reported });
    const again = await client(key);
    again.ask({ user: USER }, { after: position });
    await again.next();
    expect((await again.next()).data).toMatchObject({ requestId: id, referrer: reported });
  });

  it('when nothing funded the quote, and when its payer sends something that does not', async () => {
    const { body } = await api.call('POST', '/quote/v2', { ...withKey, body: ask({ referrer: 'shop' }) });
    const quoteId = body.steps[0].requestId;
    const one = await client(key);
    one.ask({ id: quoteId });
    await one.next();
    expect((await one.next()).data).toMatchObject({ status: 'waiting', referrer: reported });
    const sent = await requestOf(api, {}, { parentRequestId: quoteId, keyId: 'key-1', referrer: 'shop' });
    await becomes(api, sent.id, 'refund');
    expect((await one.next()).data).toMatchObject({ requestId: quoteId, status: 'refund', referrer: reported });
  });
});

it('a request without a key has a referrer for no one', async () => {
  const { id } = await requestOf(api, {}, { keyId: null, referrer: 'shop' });
  const one = await client(API_KEY);
  one.ask({ id });
  await one.next();
  expect((await one.next()).data).toMatchObject({ requestId: id, referrer: null });
});
