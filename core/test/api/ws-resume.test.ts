import { createHash } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import type { ApiDeps } from '../../src/api/index.js';
import type { RequestRow } from '../../src/contract/index.js';
import { EVENTS_IN_MEMORY } from '../../src/events/feed/feed.js';
import { manyEvents } from './support/many-events.js';
import { requestOf } from './support/rows.js';
import { API_KEY, type RunningApi, runningApi, USER } from './support/running-api.js';
import { becomes, type Client, connect, type Frame } from './support/socket.js';

const opened: RunningApi[] = [];
const clients: Client[] = [];
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.terminate();
  for (const api of opened.splice(0)) {
    await api.api.close();
    await api.close();
  }
});

async function service(websocket: ApiDeps['options']['websocket'] = {}): Promise<RunningApi> {
  const options = { anonymousRead: 'off' as const, rateLimits: {}, corsOrigins: ['*'], trustedProxies: [], websocket };
  const api = await runningApi({ options });
  opened.push(api);
  return api;
}

async function client(api: RunningApi, path = `/ws?apiKey=${API_KEY}`): Promise<Client> {
  const one = await connect(api, path);
  clients.push(one);
  await one.next();
  return one;
}

async function next(one: Client, count: number): Promise<Frame[]> {
  const frames: Frame[] = [];
  while (frames.length < count) frames.push(await one.next());
  return frames;
}

const own = (api: RunningApi, row: Partial<RequestRow> = {}) => requestOf(api, {}, { keyId: 'key-1', ...row });
const from = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);
/** Above the memory limit. */
const MANY = EVENTS_IN_MEMORY + 700;

it.each([
  ['a key', { key: 'own' }],
  ['a user', { user: USER }],
])(
  'who follows %s is sent all that it missed from the store and from memory, in order, and then what happens',
  async (_, filters) => {
    const api = await service();
    const [{ id }, other] = [
      await own(api, { user: USER }),
      await requestOf(api, { amount: '200000000' }, { user: `0x${'3'.repeat(40)}` }),
    ];
    await manyEvents(api, other.id, 10);
    const last = await manyEvents(api, id, MANY);
    const one = await client(api);
    one.ask(filters, { after: 3 });
    expect(await one.next()).toMatchObject({ type: 'subscribe', data: { position: 3 } });
    const reported = await next(one, MANY);
    expect(reported.map(({ position }) => position)).toEqual(from(last - MANY + 1, MANY));
    expect(new Set(reported.map(({ data }) => data.requestId))).toEqual(new Set([id]));
    await becomes(api, other.id, 'success');
    await becomes(api, id, 'success');
    expect(await one.next()).toMatchObject({ position: last + 2, data: { requestId: id, status: 'success' } });
    expect(await one.within(100)).toEqual([]);
  },
);

it('who follows a request is sent all of it, however long ago', async () => {
  const api = await service({ window: 10 });
  const { id } = await requestOf(api);
  const other = await requestOf(api, { amount: '200000000' });
  await manyEvents(api, id, 4);
  await manyEvents(api, other.id, MANY);
  const one = await client(api, '/ws');
  one.ask({ id }, { since: 2 });
  expect(await one.next()).toMatchObject({ type: 'subscribe', data: { position: 2 } });
  expect((await next(one, 2)).map(({ position }) => position)).toEqual([3, 4]);
  await becomes(api, id, 'success');
  expect(await one.next()).toMatchObject({ position: MANY + 5, data: { status: 'success' } });
  expect(await one.within(100)).toEqual([]);
});

it('what is reported while a client catches up comes after it, once', async () => {
  const api = await service();
  const { id } = await own(api);
  await manyEvents(api, id, MANY);
  const one = await client(api);
  one.ask({ key: 'own' }, { after: 0 });
  const adding = (async () => {
    for (let n = 0; n < 40; n += 1) await manyEvents(api, id, 5);
  })();
  const reported = await next(one, 1 + MANY + 200);
  await adding;
  expect(reported.slice(1).map(({ position }) => position)).toEqual(from(1, MANY + 200));
  expect(await one.within(100)).toEqual([]);
});

it('what happens while it is found out what was missed waits its turn, and is reported', async () => {
  const api = await service();
  const [missed, meanwhile] = [await own(api), await own(api)];
  await manyEvents(api, missed.id, 3);
  const { requests } = api.store;
  let [enter, leave] = [() => {}, () => {}];
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  api.store.requests = async (ids) => {
    if (ids.includes(missed.id)) {
      enter();
      await left;
    }
    return requests(ids);
  };
  const [one, watcher] = [await client(api), await client(api, '/ws')];
  watcher.ask({ id: meanwhile.id });
  await next(watcher, 2);
  one.ask({ key: 'own' }, { after: 1 });
  await entered;
  await becomes(api, meanwhile.id, 'success');
  expect(await watcher.next()).toMatchObject({ position: 4 });
  leave();
  expect((await next(one, 4)).slice(1).map(({ position }) => position)).toEqual([2, 3, 4]);
});

it('what lies before the window is a gap, and all after it is reported', async () => {
  const api = await service({ window: EVENTS_IN_MEMORY + 100 });
  const { id } = await own(api);
  const last = await manyEvents(api, id, MANY);
  const one = await client(api);
  one.ask({ key: 'own' }, { after: 7 });
  await one.next();
  const to = last - EVENTS_IN_MEMORY - 100;
  expect(await one.next()).toEqual({ type: 'gap', data: { from: 7, to } });
  expect((await next(one, EVENTS_IN_MEMORY + 100)).map(({ position }) => position)).toEqual(
    from(to + 1, EVENTS_IN_MEMORY + 100),
  );
});

it('what was removed from the feed is a gap', async () => {
  const api = await service();
  const [{ id }, quiet] = [await own(api), await own(api, { user: USER })];
  await manyEvents(api, quiet.id, 3);
  await manyEvents(api, id, MANY);
  const { events } = api.store;
  api.store.events = async (after, limit) => (await events(Math.max(after, 30), limit)) as never;
  const one = await client(api);
  one.ask({ key: 'own' }, { after: 7 });
  await one.next();
  expect(await one.next()).toEqual({ type: 'gap', data: { from: 7, to: 30 } });
  expect(await one.next()).toMatchObject({ position: 31 });
  const two = await client(api);
  two.ask({ id: quiet.id }, { after: 1 });
  await two.next();
  expect(await two.next()).toEqual({ type: 'gap', data: { from: 1, to: 30 } });
  // The present status replaces missed events.
  expect(await two.next()).toMatchObject({ data: { requestId: quiet.id, status: 'pending' }, sequence: 4 });
  expect(await two.within(50)).toEqual([]);
});

it('a client that reads slowly catches up all the same, and one that reads nothing is sent away', async () => {
  const api = await service({ maxBufferedBytes: 20_000, patienceMs: 300 });
  const { id } = await own(api);
  await manyEvents(api, id, 3 * MANY);
  const [slow, dead] = [await client(api), await client(api)];
  for (const one of [slow, dead]) one.ask({ key: 'own' }, { after: 0 });
  // The kernel may buffer everything at first.
  dead.socket.pause();
  const reported: Frame[] = [];
  while (reported.length < 1 + 3 * MANY) {
    reported.push(await slow.next());
    if (reported.length % 500 === 0) {
      slow.socket.pause();
      await new Promise((resolve) => setTimeout(resolve, 20));
      slow.socket.resume();
    }
  }
  expect(reported.slice(1).map(({ position }) => position)).toEqual(from(1, 3 * MANY));
}, 30_000);

it('many that come back at once cost the store about what one does', async () => {
  const api = await service({ perKeyedAddress: 100 });
  const { id } = await own(api);
  await manyEvents(api, id, MANY);
  let reads = 0;
  const { requests } = api.store;
  api.store.requests = (ids) => {
    reads += 1;
    return requests(ids);
  };
  const crowd = await Promise.all(Array.from({ length: 50 }, () => client(api)));
  for (const one of crowd)
    for (let n = 0; n < 4; n += 1) one.ask({ key: 'own', user: `0x${`${n}`.repeat(40)}` }, { after: 0 });
  await Promise.all(crowd.map((one) => next(one, 4)));
  await Promise.all(crowd.map((one) => one.within(100)));
  expect(reads).toBeLessThan(40);
});

it('a key and those that it was rotated from or to are one', async () => {
  const api = await service();
  const [known] = await api.store.apiKeys();
  if (!known) throw new Error('no key');
  const secret = 'rotated-key-for-tests-0123456789';
  const one = await client(api);
  one.ask({ key: 'own' });
  const { position } = (await one.next()).data;
  // As `causeway keys rotate` does, while the socket is open.
  const row = { ...known, id: 'key-2', version: 1, hash: createHash('sha256').update(secret).digest('hex') };
  const rotated = await api.store.apply({
    name: 'test',
    changes: [
      { op: 'insert', table: 'apiKeys', row },
      { op: 'update', table: 'apiKeys', key: { id: 'key-1' }, version: known.version, set: { replacedBy: 'key-2' } },
    ],
  });
  expect(rotated.ok).toBe(true);
  const [before, after] = [await own(api), await requestOf(api, { amount: '200000000' }, { keyId: 'key-2' })];
  await becomes(api, before.id, 'success');
  await becomes(api, after.id, 'success');
  const two = await client(api, `/ws?apiKey=${secret}`);
  two.ask({ key: 'own' }, { after: position });
  await two.next();
  for (const each of [one, two]) {
    expect((await next(each, 2)).map(({ data }) => data.requestId)).toEqual([before.id, after.id]);
  }
});

it.each([
  [{ since: -1 }, 'since'],
  [{ since: 1, after: 2 }, 'since'],
  [{ since: '1' }, 'since'],
])('positions that mean nothing are refused: %j', async (more, field) => {
  const api = await service();
  const one = await client(api);
  one.ask({ key: 'own' }, more);
  expect(await one.next()).toMatchObject({ error: { errorCode: 'INVALID_REQUEST', errorData: { field } } });
});
