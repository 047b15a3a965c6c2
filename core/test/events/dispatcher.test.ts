import { beforeEach, describe, expect, it } from 'vitest';
import type { Clock, Logger, Metrics, Notifier } from '../../src/contract/index.js';
import { StoreUnavailableError } from '../../src/contract/store.js';
import { createDispatcher, type Dispatcher } from '../../src/events/dispatch/dispatcher.js';
import { shardOf } from '../../src/events/dispatch/shards.js';
import { type MemoryStore, memoryStore } from '../../src/testing/index.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock } from '../../src/testing/sim-clock.js';
import { changeSet, eventRow, insert, requestId } from '../../src/testing/store-fixtures.js';
import { Recipient } from './support/post.js';

const TTL = 3_000;
const HOUR = 3_600_000;

let clock: SimClock;
let store: MemoryStore;
let post: Recipient;
let alerts: Set<string>;
let errors: string[];
let seeds = 1;
const nextSeed = (): number => {
  seeds += 1;
  return seeds;
};

const quiet = () => undefined;
const metrics: Metrics = { count: quiet, gauge: quiet, observe: quiet };

beforeEach(async () => {
  clock = new SimClock(new SeededRandom(1));
  store = memoryStore({ clock });
  await store.open();
  post = new Recipient('post', clock);
  alerts = new Set();
  errors = [];
});

function dispatcher(
  notifiers: readonly Notifier[] = [post],
  own: Clock = clock,
  held: MemoryStore = store,
  over: { readonly leaseTtlMs?: number; readonly pollMs?: number } = {},
): Dispatcher {
  const log: Logger = {
    ...{ debug: quiet, info: quiet, warn: quiet },
    error: (_, message) => errors.push(message),
    child: () => log,
  };
  return createDispatcher({
    ...{
      store: held,
      notifiers,
      clock: own,
      // Unique lease owners.
      random: new SeededRandom(nextSeed()),
      log,
      metrics,
      leaseMetrics: metrics,
      leaseTtlMs: TTL,
      ...over,
    },
    alerts: { raise: (id) => void alerts.add(id), clear: (id) => void alerts.delete(id), list: () => [] },
  });
}

/** Advances virtual time until it resolves. */
async function passes<T>(what: Promise<T>): Promise<T> {
  let over = false;
  const ended = what.finally(() => {
    over = true;
  });
  await clock.run({ stop: () => over });
  return ended;
}

async function started(...some: readonly Dispatcher[]): Promise<void> {
  for (const one of some) await passes(one.start());
}

const named = (request: number, sequence: number) =>
  insert('events', eventRow(request, { id: `${request}:${sequence}`, requestId: requestId(request), sequence }));

async function happens(...events: readonly (readonly [request: number, sequence: number])[]): Promise<void> {
  await store.apply(changeSet(...events.map(([request, sequence]) => named(request, sequence))));
}

describe('the dispatcher', () => {
  it('reports what happens from its first start on, and after a restart what happened meanwhile', async () => {
    await happens([1, 1]);
    const first = dispatcher();
    await started(first);
    await happens([1, 2]);
    await clock.advance(500);
    await happens([2, 1]);
    await clock.advance(500);
    expect(post.reported()).toEqual(['1:2', '2:1']);
    expect(post.arrived[0]).toMatchObject({ position: 2, sequence: 2, kind: 'request.status.updated', payload: {} });
    await passes(first.stop());
    await happens([1, 3]);
    await clock.advance(5_000);
    expect(post.reported()).toHaveLength(2);
    const second = dispatcher();
    await started(second);
    await clock.advance(500);
    expect(post.reported()).toEqual(['1:2', '2:1', '1:3']);
    await passes(second.stop());
    expect(errors).toEqual([]);
  });

  it('keeps the order of a request while an earlier event fails, and lets no other request wait', async () => {
    let fails = true;
    post.answers = ({ id }) => (id === '1:1' && fails ? 'fails' : 'ok');
    const one = dispatcher();
    await started(one);
    await happens([1, 1], [1, 2], [2, 1]);
    await clock.advance(1_000);
    expect(post.reported()).toEqual(['2:1']);
    await happens([1, 3], [2, 2]);
    await clock.advance(60_000);
    expect(post.reported()).toEqual(['2:1', '2:2']);
    fails = false;
    await clock.advance(10 * 60_000);
    expect(post.reported()).toEqual(['2:1', '2:2', '1:1', '1:2', '1:3']);
    await passes(one.stop());
  });

  it('tries again later and later, or when it is asked to, also where the notifier throws', async () => {
    let n = 0;
    post.answers = () => (['fails', 'throws', { afterMs: 4 * HOUR }, 'ok'] as const)[n++] ?? 'ok';
    const one = dispatcher([post], clock, store, { leaseTtlMs: HOUR, pollMs: 10_000 });
    await started(one);
    await happens([1, 1]);
    await clock.advance(5 * HOUR);
    expect(post.reported()).toEqual(['1:1']);
    const [a = 0, b = 0, c = 0, d = 0] = post.tries;
    expect(post.tries).toHaveLength(4);
    expect(b - a).toBeGreaterThanOrEqual(3_750);
    expect(b - a).toBeLessThan(6_000);
    expect(c - b).toBeGreaterThanOrEqual(22_500);
    expect(d - c).toBeGreaterThanOrEqual(4 * HOUR);
    expect(errors).toEqual(['a notifier threw, which is a bug in it']);
    await passes(one.stop());
  });

  it('ends soon though an endpoint hangs, and reports it again after the next start', async () => {
    post.takes = 60_000;
    const one = dispatcher();
    await started(one);
    await happens([1, 1]);
    await clock.advance(500);
    const before = clock.monotonic();
    await passes(one.stop());
    expect(clock.monotonic() - before).toBeLessThan(3_000);
    post.takes = 5;
    const next = dispatcher();
    await started(next);
    await clock.advance(1_000);
    expect(post.reported()).toEqual(['1:1']);
    await passes(next.stop());
  });

  it('ends, and leaves its leases to others, though the store takes nothing any more', async () => {
    const [mine, another] = [store.another(), store.another()];
    await mine.open();
    await another.open();
    post.takes = 400;
    const one = dispatcher([post], clock, mine);
    await started(one);
    await happens([1, 1]);
    await clock.advance(300);
    mine.apply = () => Promise.reject(new StoreUnavailableError('the disk is full'));
    await passes(one.stop());
    const next = dispatcher([post], clock, another);
    await started(next);
    // Well before the lease expires.
    await clock.advance(1_000);
    expect(post.reported()).toEqual(['1:1', '1:1']);
    await passes(next.stop());
  });

  it('lets no endpoint wait for one that hangs', async () => {
    const slow = new Recipient('slow', clock);
    slow.takes = 30_000;
    const one = dispatcher([post, slow]);
    await started(one);
    await happens(...Array.from({ length: 100 }, (_, n) => [n + 1, 1] as const));
    await clock.advance(2_000);
    expect(post.first()).toHaveLength(100);
    // One try suffices to see a hanging endpoint.
    expect(slow.tries).toHaveLength(1);
    await clock.advance(1_000_000);
    expect(slow.first()).toHaveLength(100);
    expect(slow.reported()).toHaveLength(100);
    await passes(one.stop());
  });

  it('delivers to four hundred endpoints of which forty hang by few statements a round, whatever backlog these have', async () => {
    const asked: string[] = [];
    const counted = new Proxy(store, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          asked.push(String(name));
          return (member as (...args: unknown[]) => unknown).apply(target, args);
        };
      },
    });
    const all = Array.from({ length: 400 }, (_, n) => new Recipient(`r${n}`, clock));
    const hanging = all.filter((_, n) => n % 10 === 0);
    for (const one of hanging) [one.takes, one.answers] = [20_000, () => 'fails'];
    const one = dispatcher(all, clock, counted);
    await started(one);
    for (let second = 0; second < 4; second += 1) {
      await happens(...[1, 2].map((n) => [second * 2 + n, 1] as const), [1_000, second + 1]);
      await clock.advance(1_000);
    }
    for (const { reported } of all
      .filter((each) => !hanging.includes(each))
      .map((each) => ({ reported: each.reported() }))) {
      expect(new Set(reported).size).toBe(12);
      expect(reported.filter((id) => id.startsWith('1000:'))).toEqual(
        Array.from({ length: 4 }, (_, n) => `1000:${n + 1}`),
      );
    }
    const reads = asked.filter((name) => name === 'dueDeliveries' || name === 'firstDue').length;
    // Eight shards, four seconds, fifty endpoints each with twelve events.
    expect(reads).toBeLessThan(8 * 4 * 20);
    await passes(one.stop());
  }, 60_000);

  it('goes on with other requests while the results of tries are being written, and not with the same one', async () => {
    const { apply } = store;
    store.apply = async (set) => {
      if (set.name === 'dispatch.turn') await clock.sleep(500);
      return apply(set);
    };
    const one = dispatcher();
    await started(one);
    await happens(...Array.from({ length: 100 }, (_, n) => [n + 1, 1] as const), [1, 2]);
    await clock.advance(1_100);
    expect(post.first()).toHaveLength(100);
    expect(post.first()).not.toContain('1:2');
    await clock.advance(3_000);
    expect(post.reported()).toHaveLength(101);
    expect(post.reported().at(-1)).toBe('1:2');
    await passes(one.stop());
  });

  it('writes once what an endpoint takes at once, and reports it before that', async () => {
    const one = dispatcher();
    await started(one);
    await happens([100, 1]);
    await clock.advance(1_000);
    const changes: string[] = [];
    const { apply } = store;
    store.apply = async (set) => {
      if (set.name === 'dispatch.turn')
        for (const change of set.changes) if (change.op === 'insert' || change.op === 'update') changes.push(change.op);
      return apply(set);
    };
    await happens(...Array.from({ length: 20 }, (_, n) => [n + 1, 1] as const));
    await clock.advance(1_000);
    expect(post.reported()).toHaveLength(21);
    // Twenty rows and the feed position.
    expect(changes.filter((op) => op === 'insert')).toHaveLength(20);
    expect(changes.filter((op) => op === 'update')).toHaveLength(1);
    expect(await store.deliveriesOf('post', { state: 'delivered', limit: 100 })).toHaveLength(21);
    await passes(one.stop());
  });

  it('reports nothing again and again while the store takes nothing', async () => {
    const one = dispatcher();
    await started(one);
    await happens([1, 1]);
    await clock.advance(1_000);
    const { apply } = store;
    store.apply = async (set) => {
      if (set.name === 'dispatch.turn') throw new StoreUnavailableError('the disk is full');
      return apply(set);
    };
    await happens([2, 1], [2, 2], [3, 1]);
    await clock.advance(60_000);
    expect([...post.reported()].sort()).toEqual(['1:1', '2:1', '3:1']);
    store.apply = apply;
    await clock.advance(5_000);
    expect([post.reported().length, post.reported().at(-1)]).toEqual([4, '2:2']);
    expect((await store.deliveriesOf('post', { state: 'delivered', limit: 9 })).map(({ id }) => id)).toHaveLength(4);
    await passes(one.stop());
  });

  it('leaves in the feed what no one waits for, and lets no endpoint wait for one that is busy', async () => {
    const slow = new Recipient('slow', clock);
    slow.takes = 1_000;
    const open = async (id: string) => (await store.deliveriesOf(id, { state: 'open', limit: 5_000 })).length;
    const alone = dispatcher([slow]);
    await started(alone);
    await happens(...Array.from({ length: 3_000 }, (_, n) => [n + 1, 1] as const));
    await clock.advance(20_000);
    expect(await open('slow')).toBeLessThan(800);
    await passes(alone.stop());
    const both = dispatcher([slow, post]);
    await started(both);
    await happens(...Array.from({ length: 1_000 }, (_, n) => [n + 5_000, 1] as const));
    await clock.advance(20_000);
    expect(post.first()).toHaveLength(1_000);
    await clock.advance(1_000_000);
    expect(slow.first()).toHaveLength(4_000);
    await passes(both.stop());
  }, 60_000);

  it('reports all of more events than one turn writes, though it dies after the first of several turns', async () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `r${n}`).filter((id) => shardOf(id) === 3);
    const all = ids.slice(0, 110).map((id) => new Recipient(id, clock));
    const [mine, held] = [clock.process(), store.another()];
    await held.open();
    const { apply } = held;
    held.apply = async (set) => {
      const outcome = await apply(set);
      if (set.changes.length <= 1_000) return outcome;
      mine.kill();
      return new Promise(() => undefined);
    };
    const one = dispatcher(all, mine, held);
    await started(one);
    await happens(...Array.from({ length: 15 }, (_, n) => [n + 1, 1] as const));
    await clock.advance(2_000);
    expect((await store.meta('dispatch:3'))?.value).toBe('10');
    const next = dispatcher(all);
    await started(next);
    await clock.advance(TTL * 3);
    for (const each of all) expect(each.first()).toHaveLength(15);
    await passes(next.stop());
  });

  it('asks an endpoint that takes nothing by one delivery at a time, and goes on at once when it takes one', async () => {
    let well = false;
    post.answers = () => (well ? 'ok' : 'fails');
    const one = dispatcher();
    await started(one);
    await happens(...Array.from({ length: 500 }, (_, n) => [n + 1, 1] as const));
    await clock.advance(10 * 60_000);
    expect(post.tries.length).toBeGreaterThan(8);
    expect(post.tries.length).toBeLessThan(40);
    well = true;
    await clock.advance(65_000);
    expect(post.first().length).toBeGreaterThan(480);
    await clock.advance(HOUR);
    expect(post.reported()).toHaveLength(500);
    await passes(one.stop());
  });

  it('disables an endpoint that says gone, keeps what it misses, and reports it all after a restart', async () => {
    post.answers = () => 'gone';
    const one = dispatcher();
    await started(one);
    await happens([1, 1], [1, 2]);
    await clock.advance(HOUR);
    await happens([2, 1]);
    await clock.advance(HOUR);
    expect(post.tries).toHaveLength(1);
    expect([...alerts]).toEqual(['endpoint:post']);
    expect(await store.endpoints()).toMatchObject([{ id: 'post', state: 'disabled', reason: 'answered 410' }]);
    await passes(one.stop());
    post.answers = () => 'ok';
    const next = dispatcher();
    await started(next);
    await clock.advance(2_000);
    expect([...post.reported()].sort()).toEqual(['1:1', '1:2', '2:1']);
    expect(post.reported().indexOf('1:1')).toBeLessThan(post.reported().indexOf('1:2'));
    await passes(next.stop());
  });

  it('gives up one event after three days, and an endpoint that took nothing for as long', async () => {
    const deaf = new Recipient('deaf', clock);
    deaf.answers = () => 'fails';
    post.answers = ({ id }) => (id === '1:1' ? 'fails' : 'ok');
    const one = dispatcher([post, deaf], clock, store, { leaseTtlMs: HOUR, pollMs: 60_000 });
    await started(one);
    await happens([1, 1], [1, 2]);
    for (let hours = 0; hours < 84; hours += 6) {
      await happens([100 + hours, 1]);
      await clock.advance(6 * HOUR);
    }
    expect(post.reported()).toContain('1:2');
    expect((await store.deliveries(['post/1:1']))[0]).toMatchObject({ state: 'failed', lastError: 'fails' });
    const endpoints = new Map((await store.endpoints()).map((row) => [row.id, row]));
    expect(endpoints.get('post')).toMatchObject({ state: 'active', failingSince: null });
    expect(endpoints.get('deaf')).toMatchObject({ state: 'disabled', reason: 'no delivery succeeded for three days' });
    expect((await store.openDeliveries([requestId(100), requestId(178)])).map(({ id }) => id)).toEqual([
      'deaf/100:1',
      'deaf/178:1',
    ]);
    await passes(one.stop());
  });
});

describe('several dispatchers of one database', () => {
  it('share the work, and one takes over what the other leaves within its lease', async () => {
    const [mine, others] = [clock.process(), clock.process()];
    const another = store.another();
    await another.open();
    const [a, b] = [dispatcher([post], mine), dispatcher([post], others, another)];
    await started(a, b);
    await happens([1, 1]);
    await clock.advance(500);
    expect(post.reported()).toEqual(['1:1']);
    mine.kill();
    await happens([1, 2]);
    await clock.advance(TTL * 2);
    expect(post.reported()).toEqual(['1:1', '1:2']);
    await passes(b.stop());
  });

  it('reports nothing out of order where one of them stands still past its lease and goes on', async () => {
    const [mine, others] = [clock.process(), clock.process()];
    const another = store.another();
    await another.open();
    post.takes = 200;
    const [a, b] = [dispatcher([post], mine), dispatcher([post], others, another)];
    await started(a, b);
    await happens([1, 1], [1, 2], [1, 3]);
    await clock.advance(100);
    mine.pause();
    await clock.advance(TTL * 3);
    await happens([1, 4]);
    await clock.advance(TTL);
    mine.resume();
    await clock.advance(TTL * 3);
    expect(post.first()).toEqual(['1:1', '1:2', '1:3', '1:4']);
    expect(await store.openDeliveries([requestId(1)])).toEqual([]);
    await passes(b.stop());
    await passes(a.stop());
  });
});
