import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { requestOf } from './support/rows.js';
import { API_KEY, type RunningApi, runningApi, USER } from './support/running-api.js';
import { becomes, type Client, connect } from './support/socket.js';

const OTHER_KEY = 'other-key-for-tests-0123456789';
const OTHER_USER = `0x${'3'.repeat(40)}`;

let api: RunningApi;
const clients: Client[] = [];
beforeAll(async () => {
  api = await runningApi();
  await keyRow('key-2', OTHER_KEY, '["quote"]');
});
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.terminate();
});
afterAll(async () => {
  await api.api.close();
  await api.close();
});

async function keyRow(id: string, key: string, scopes: string): Promise<void> {
  const [known] = await api.store.apiKeys();
  if (!known) throw new Error('no key');
  const row = { ...known, id, scopes, hash: createHash('sha256').update(key).digest('hex') };
  await api.store.apply({ name: 'test', changes: [{ op: 'insert', table: 'apiKeys', row }] });
}

async function client(path?: string, of = api): Promise<Client> {
  const one = await connect(of, path);
  clients.push(one);
  await one.next();
  return one;
}

describe('the filter by user', () => {
  it('notifies the holder of a key of every request of that user, in any spelling', async () => {
    const mine = await requestOf(api, {}, { user: USER });
    const other = await requestOf(api, { amount: '200000000' }, { user: OTHER_USER });
    const one = await client(`/ws?apiKey=${API_KEY}`);
    one.ask({ user: USER.toUpperCase().replace('0X', '0x') });
    expect(await one.next()).toMatchObject({ type: 'subscribe', status: 'success' });
    await becomes(api, other.id, 'success');
    await becomes(api, mine.id, 'success');
    expect(await one.next()).toMatchObject({ data: { requestId: mine.id } });
    expect(await one.within(120)).toEqual([]);
  });

  it('must match together with the others', async () => {
    const { id } = await requestOf(api, {}, { user: USER });
    const one = await client(`/?apiKey=${API_KEY}`);
    one.ask({ id, user: OTHER_USER });
    expect(await one.next()).toMatchObject({ error: { errorCode: 'REQUEST_NOT_FOUND' } });
    const two = await client(`/?apiKey=${API_KEY}`);
    two.ask({ id, user: USER });
    expect(await two.next()).toMatchObject({ status: 'success' });
    expect(await two.next()).toMatchObject({ data: { requestId: id } });
  });

  it('is not for those without a key, nor for keys that may not list', async () => {
    const one = await client();
    one.ask({ user: USER });
    expect(await one.next()).toMatchObject({ type: 'subscribe', error: { errorCode: 'UNAUTHORIZED' } });
    expect(await one.closed).toBe(1008);
    const two = await client(`/ws?apiKey=${OTHER_KEY}`);
    two.ask({ user: USER });
    expect(await two.next()).toMatchObject({ error: { errorCode: 'FORBIDDEN' } });
  });

  it('is open to everyone where the listing is', async () => {
    const options = {
      anonymousRead: 'by-user-or-id' as const,
      ...{ rateLimits: {}, corsOrigins: ['*'], trustedProxies: [] },
    };
    const open = await runningApi({ options });
    try {
      const { id } = await requestOf(open);
      const one = await client('/ws', open);
      one.ask({ user: USER });
      expect(await one.next()).toMatchObject({ status: 'success' });
      await becomes(open, id, 'success');
      expect(await one.next()).toMatchObject({ data: { requestId: id } });
    } finally {
      await open.api.close();
      await open.close();
    }
  });

  it('resumes where it stopped', async () => {
    const { id } = await requestOf(api, {}, { user: USER });
    const other = await requestOf(api, {}, { user: OTHER_USER });
    const one = await client(`/ws?apiKey=${API_KEY}`);
    one.ask({ user: USER });
    const { position } = (await one.next()).data;
    one.socket.terminate();
    await becomes(api, other.id, 'success');
    await becomes(api, id, 'success');
    const two = await client(`/ws?apiKey=${API_KEY}`);
    two.ask({ user: USER }, { after: position });
    await two.next();
    expect(await two.next()).toMatchObject({ data: { requestId: id }, sequence: 2 });
    expect(await two.within(100)).toEqual([]);
  });
});

describe('private chains', () => {
  it('are not reported to keys that were not granted them', async () => {
    const uuid = '6a1b1a44-8c4a-4b8e-9d5e-0f4a3c2b1d0e';
    const hidden = await requestOf(api, {}, { user: USER });
    const open = await requestOf(api, {}, { user: USER, destinationChainId: 1 });
    const { facts } = api.b.adapter;
    Object.assign(api.b.adapter, { facts: { ...facts, private: uuid } });
    try {
      const one = await client(`/ws?apiKey=${API_KEY}`);
      one.ask({ user: USER });
      await one.next();
      await becomes(api, hidden.id, 'success');
      await becomes(api, open.id, 'success');
      expect(await one.next()).toMatchObject({ data: { requestId: open.id } });
    } finally {
      Object.assign(api.b.adapter, { facts });
    }
  });
});

describe('the filter by key', () => {
  it('reports the requests that were quoted with that key', async () => {
    const mine = await requestOf(api, {}, { keyId: 'key-1' });
    const other = await requestOf(api, {}, { keyId: 'key-2' });
    const one = await client(`/ws?apiKey=${API_KEY}`);
    one.ask({ key: 'own' });
    await one.next();
    await becomes(api, other.id, 'success');
    await becomes(api, mine.id, 'success');
    expect(await one.next()).toMatchObject({ data: { requestId: mine.id } });
  });

  it('needs one', async () => {
    const one = await client();
    one.ask({ key: 'own' });
    expect(await one.next()).toMatchObject({ error: { errorCode: 'UNAUTHORIZED' } });
  });

  it('refuses a wrong one before the socket opens', async () => {
    await expect(connect(api, '/ws?apiKey=wrong')).rejects.toThrow('HTTP 401');
  });
});
