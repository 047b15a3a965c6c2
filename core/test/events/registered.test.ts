import { beforeEach, describe, expect, it } from 'vitest';
import type {
  Change,
  EndpointChannel,
  Hex,
  Logger,
  Metrics,
  NotifierOutcome,
  OutboxEvent,
  RegisteredEndpoint,
} from '../../src/contract/index.js';
import { createDispatcher, type Dispatcher } from '../../src/events/dispatch/dispatcher.js';
import { createEndpoints, type Endpoints, type EndpointWishes, Sealer } from '../../src/events/endpoints/index.js';
import { type MemoryStore, memoryStore } from '../../src/testing/index.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock } from '../../src/testing/sim-clock.js';
import { apiKeyRow, changeSet, eventRow, insert, requestId, requestRow } from '../../src/testing/store-fixtures.js';
import { Recipient } from './support/post.js';

let clock: SimClock;
let store: MemoryStore;
let channel: Channel;
let endpoints: Endpoints;
let dispatcher: Dispatcher;
let seed = 0;

const quiet = () => undefined;
const metrics: Metrics = { count: quiet, gauge: quiet, observe: quiet };
const log: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
const alerts = { raise: quiet, clear: quiet, list: () => [] };
const WISHES: EndpointWishes = {
  ...{ url: 'https://example.com', headers: {}, description: null },
  ...{ statuses: [], chains: [], keys: [], signatures: ['standard'] },
};

class Channel implements EndpointChannel {
  readonly id = 'posts';
  readonly reported: string[] = [];
  readonly secrets = new Set<string>();
  answers: () => NotifierOutcome = () => ({ outcome: 'delivered', answer: { status: 204, body: '' } });

  newSecret(): string {
    return 'secret';
  }

  async refuse(): Promise<undefined> {
    return undefined;
  }

  async deliver(event: OutboxEvent, endpoint: RegisteredEndpoint): Promise<NotifierOutcome> {
    this.reported.push(`${endpoint.url} ${event.id}`);
    for (const secret of endpoint.secrets) this.secrets.add(secret);
    await clock.sleep(5);
    return this.answers();
  }
}

beforeEach(async () => {
  clock = new SimClock(new SeededRandom(1));
  store = memoryStore({ clock });
  await store.open();
  channel = new Channel();
  const random = new SeededRandom('endpoints');
  const sealer = new Sealer(['a key'], random);
  endpoints = createEndpoints({ store, channel, sealer, clock, random });
  seed += 1;
  dispatcher = createDispatcher({
    ...{ store, notifiers: [], channels: [channel], sealer, clock, random: new SeededRandom(`dispatcher ${seed}`) },
    ...{ log, metrics, leaseMetrics: metrics, alerts, leaseTtlMs: 3_000 },
  });
  await store.apply(
    changeSet(
      insert('apiKeys', apiKeyRow(1, { id: 'key-a', hash: 'a', integratorId: 'int-a' })),
      insert('apiKeys', apiKeyRow(2, { id: 'key-b', hash: 'b', integratorId: 'int-b' })),
      insert('requests', requestRow(1, { keyId: 'key-a' })),
      insert('requests', requestRow(2, { keyId: 'key-b' })),
      insert('requests', requestRow(3, { keyId: null })),
    ),
  );
});

async function passes<T>(what: Promise<T>): Promise<T> {
  let over = false;
  const ended = what.finally(() => {
    over = true;
  });
  await clock.run({ stop: () => over });
  return ended;
}

async function happens(
  ...events: readonly (readonly [request: number, sequence: number, data?: object])[]
): Promise<void> {
  await store.apply(
    changeSet(
      ...events.map(([request, sequence, data = {}]) =>
        insert(
          'events',
          eventRow(request, {
            ...{ id: `${request}:${sequence}`, requestId: requestId(request), sequence, createdAt: clock.now() },
            payload: JSON.stringify({ event: 'request.status.updated', data }),
          }),
        ),
      ),
      ...(await changed(new Set(events.map(([request]) => requestId(request))))),
    ),
  );
}

async function changed(ids: ReadonlySet<Hex>): Promise<readonly Change[]> {
  const set = { updatedAt: clock.now() };
  return (await store.requests([...ids])).map(({ id, version }) => ({
    ...{ op: 'update', table: 'requests', key: { id }, version, set },
  }));
}

async function registered(of = 'int-a', wishes: Partial<EndpointWishes> = {}): Promise<string> {
  const made = await passes(endpoints.register(of, { ...WISHES, ...wishes }));
  if (!made.ok) throw new Error(made.message);
  return made.endpoint.id;
}

/** Registers until one is on that shard. */
async function registeredOn(shard: number): Promise<string> {
  let id = await registered();
  while ((await row(id)).shard !== shard) id = await registered();
  return id;
}

const ids = () => channel.reported.map((text) => text.split(' ')[1]);
const row = async (id: string) => (await store.endpoint(id)) ?? expect.fail('it is there');

describe('an endpoint that an integrator registered', () => {
  it('receives requests of its integrator alone, and of what its filters let through', async () => {
    await passes(dispatcher.start());
    await registered('int-a', { url: 'https://a' });
    await registered('int-b', { url: 'https://b', statuses: ['success'] });
    await registered('int-a', { url: 'https://chain', chains: [7] });
    await registered('int-a', { url: 'https://key', keys: ['key-a'] });
    await happens([1, 1, { status: 'pending', originChainId: 1, destinationChainId: 7 }]);
    await happens([2, 1, { status: 'pending' }], [2, 2, { status: 'success' }], [3, 1, { status: 'success' }]);
    await clock.advance(2_000);
    expect([...channel.reported].sort()).toEqual([
      'https://a 1:1',
      'https://b 2:2',
      'https://chain 1:1',
      'https://key 1:1',
    ]);
    expect([...channel.secrets]).toEqual(['secret']);
    await passes(dispatcher.stop());
  });

  it('is informed of every event after its registration, whatever the dispatcher has decided by then', async () => {
    // Keeps all shards reading.
    for (let n = 0; n < 16; n += 1) await registered('int-b');
    await passes(dispatcher.start());
    const known: string[] = [];
    for (let n = 1; n <= 18; n += 1) {
      await registered('int-a', { url: `https://${n}` });
      await happens([1, n]);
      known.push(`https://${n} 1:${n}`);
      await clock.advance(n * 37);
    }
    await clock.advance(5_000);
    const reported = new Set(channel.reported);
    expect(known.filter((one) => !reported.has(one))).toEqual([]);
    await passes(dispatcher.stop());
  });

  it('gets again what it wants again, under the same id, in the order of each request', async () => {
    await passes(dispatcher.start());
    const id = await registered();
    await happens([1, 1], [1, 2], [1, 3]);
    await clock.advance(2_000);
    expect(ids()).toEqual(['1:1', '1:2', '1:3']);
    channel.reported.length = 0;
    await clock.advance(1);
    const before = clock.now();
    const asked = await passes(endpoints.replay(await row(id), { since: 0, failedOnly: false }));
    expect(asked).toEqual({ ok: true, count: 3, after: null });
    // Later events wait behind failures.
    const outcomes: NotifierOutcome[] = [{ outcome: 'retry', afterMs: 0, why: 'it answers 500' }];
    channel.answers = () => outcomes.pop() ?? { outcome: 'delivered', answer: { status: 204, body: '' } };
    await happens([1, 4]);
    await clock.advance(30_000);
    expect(ids()).toEqual(['1:1', '1:1', '1:2', '1:3', '1:4']);
    channel.reported.length = 0;
    expect(await passes(endpoints.replay(await row(id), { since: before, failedOnly: false }))).toMatchObject({
      count: 1,
    });
    await clock.advance(3_000);
    expect(ids()).toEqual(['1:4']);
    const [one] = await endpoints.log(id, { limit: 1 });
    expect(one).toMatchObject({ state: 'delivered', attempts: 1, answerStatus: 204 });
    await passes(dispatcher.stop());
  });

  it('gets it by requests of its integrator alone, in turns with replays of others', async () => {
    await passes(dispatcher.start());
    const [a, b] = [await registered('int-a'), await registered('int-b')];
    const many = (from: number, keyId: string) => Array.from({ length: 60 }, (_, n) => requestRow(from + n, { keyId }));
    await store.apply(
      changeSet(...[...many(100, 'key-a'), ...many(200, 'key-b')].map((one) => insert('requests', one))),
    );
    await happens(...[...Array(60).keys()].flatMap((n) => [[100 + n, 1] as const, [200 + n, 1] as const]));
    await clock.advance(3_000);
    const reads: string[] = [];
    const watched = new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (name === 'events') reads.push('feed');
          if (name === 'requestsOfKey') reads.push(String(args[0]));
          return (value as (...given: unknown[]) => unknown).apply(target, args);
        };
      },
    });
    const random = new SeededRandom('replays');
    const by = createEndpoints({ store: watched, channel, sealer: new Sealer(['a key'], random), clock, random });
    const rows = [await row(a), await row(b)];
    const both = rows.map((one) => by.replay(one, { since: 0, failedOnly: false }));
    expect(await passes(Promise.all(both))).toEqual([60, 60].map((count) => ({ ok: true, count, after: null })));
    expect(reads).toEqual(['key-a', 'key-b', 'key-a', 'key-b', 'key-a', 'key-b']);
    await passes(dispatcher.stop());
  });

  it('gets nothing while another endpoint of its integrator is replayed', async () => {
    const rows = [await row(await registered('int-a')), await row(await registered('int-a'))];
    await happens([1, 1]);
    const replays = rows.map((one) => endpoints.replay(one, { since: 0, failedOnly: false }));
    expect(await passes(Promise.all(replays))).toMatchObject([{ ok: true }, { ok: false, code: 'conflict' }]);
    const [, later] = rows;
    if (later === undefined) throw new Error('not registered');
    expect(await passes(endpoints.replay(later, { since: 0, failedOnly: false }))).toMatchObject({ ok: true });
  });

  it('gets what is older than itself, for the first time', async () => {
    const other = await registered('int-b');
    await passes(dispatcher.start());
    await happens([1, 1], [2, 1], [1, 2]);
    await clock.advance(2_000);
    channel.reported.length = 0;
    // On another shard that is past those events.
    const id = await registeredOn((await row(other)).shard);
    expect(await passes(endpoints.replay(await row(id), { since: 0, failedOnly: false }))).toMatchObject({ count: 2 });
    await clock.advance(3_000);
    expect(ids()).toEqual(['1:1', '1:2']);
    await passes(dispatcher.stop());
  });

  it('gets what is older than itself, also where its shard did nothing since', async () => {
    const { shard } = await row(await registered('int-b'));
    await happens([1, 1], [1, 2]);
    const id = await registeredOn(shard);
    expect(await passes(endpoints.replay(await row(id), { since: 0, failedOnly: false }))).toMatchObject({ count: 2 });
    await happens([1, 3]);
    await passes(dispatcher.start());
    await clock.advance(3_000);
    expect(channel.reported.length).toBeGreaterThan(2);
    const log = (await endpoints.log(id, { limit: 5 })).map(({ eventId, state }) => `${eventId} ${state}`).sort();
    expect(log).toEqual(['1:1 delivered', '1:2 delivered', '1:3 delivered']);
    await passes(dispatcher.stop());
  });

  it('takes nothing from a notifier whose shard has processed no event yet', async () => {
    const post = new Recipient('post', clock);
    const random = new SeededRandom('with a notifier');
    const started = async (): Promise<Dispatcher> => {
      const one = createDispatcher({
        ...{ store, notifiers: [post], channels: [channel], sealer: new Sealer(['a key'], random), clock, random },
        ...{ log, metrics, leaseMetrics: metrics, alerts, leaseTtlMs: 3_000 },
      });
      await passes(one.start());
      return one;
    };
    await passes((await started()).stop());
    await happens([1, 1], [1, 2]);
    await registeredOn((await row('post')).shard);
    await happens([1, 3]);
    const again = await started();
    await clock.advance(3_000);
    expect(post.reported()).toEqual(['1:1', '1:2', '1:3']);
    expect(new Set(ids())).toEqual(new Set(['1:3']));
    await passes(again.stop());
  });

  it('is posted what it missed once it is enabled again, and its failures are reported', async () => {
    await passes(dispatcher.start());
    const id = await registered();
    channel.answers = () => ({ outcome: 'gone', why: 'it answers 410', answer: { status: 410, body: 'away' } });
    await happens([1, 1]);
    await clock.advance(3_000);
    expect(await row(id)).toMatchObject({ state: 'disabled', reason: 'it answers 410' });
    expect((await endpoints.log(id, { limit: 1 }))[0]).toMatchObject({
      state: 'due',
      answerStatus: 410,
      answer: 'away',
    });
    await happens([1, 2]);
    await clock.advance(3_000);
    channel.reported.length = 0;
    channel.answers = () => ({ outcome: 'delivered' });
    await passes(endpoints.change(id, 'int-a', { enabled: true }));
    await clock.advance(3_000);
    expect(ids()).toEqual(['1:1', '1:2']);
    await passes(dispatcher.stop());
  });

  it('is sent nothing once it is removed, and what it was not sent is abandoned', async () => {
    await passes(dispatcher.start());
    const id = await registered();
    channel.answers = () => ({ outcome: 'retry', afterMs: 60_000, why: 'it answers 500' });
    await happens([1, 1], [1, 2]);
    await clock.advance(2_000);
    await passes(endpoints.remove(id, 'int-a'));
    channel.reported.length = 0;
    await clock.advance(600_000);
    expect(channel.reported).toEqual([]);
    const states = (await endpoints.log(id, { limit: 5 })).map(({ state, lastError }) => [state, lastError]);
    expect(states).toEqual([
      ['failed', 'its endpoint was removed'],
      ['failed', 'its endpoint was removed'],
    ]);
    await passes(dispatcher.stop());
  });

  it('waits, and loses nothing, while what it signs with cannot be read', async () => {
    const id = await registered();
    await happens([1, 1]);
    const random = new SeededRandom('other');
    const blind = createDispatcher({
      ...{ store, notifiers: [], channels: [channel], sealer: new Sealer(['another key'], random), clock, random },
      ...{ log, metrics, leaseMetrics: metrics, alerts, leaseTtlMs: 3_000 },
    });
    await passes(blind.start());
    await clock.advance(3_000);
    await passes(blind.stop());
    expect(channel.reported).toEqual([]);
    expect((await endpoints.log(id, { limit: 1 }))[0]?.lastError).toMatch(/cannot be read/);
    await passes(dispatcher.start());
    await clock.advance(60_000);
    expect(ids()).toEqual(['1:1']);
    await passes(dispatcher.stop());
  });
});
