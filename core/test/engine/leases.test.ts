import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChangeSet, Logger, Metrics } from '../../src/contract/index.js';
import { LeaseKeeper } from '../../src/leases/lease-keeper.js';
import { LeaseLost, type Tenure } from '../../src/leases/tenure.js';
import { type MemoryStore, memoryStore } from '../../src/testing/index.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock, type SimProcessClock } from '../../src/testing/sim-clock.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

const TTL = 3_000;
const SCOPES = ['service', 'chain:1'];

let clock: SimClock;
let store: MemoryStore;
let fenced: number;

const quiet = () => undefined;
const log: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
const metrics: Metrics = {
  count: (name, _help, labels) => {
    if (name === 'apply_conflicts' && labels?.['kind'] === 'fenced') fenced += 1;
  },
  gauge: quiet,
  observe: quiet,
};

beforeEach(async () => {
  clock = new SimClock(new SeededRandom(1));
  store = memoryStore({ clock });
  await store.open();
  fenced = 0;
});

function keeper(owner: string, own: SimProcessClock = clock.process(), held: MemoryStore = store): LeaseKeeper {
  return new LeaseKeeper({ store: held, clock: own, log, metrics }, SCOPES, owner, TTL);
}

const set: ChangeSet = {
  name: 'note',
  changes: [{ op: 'insert', table: 'meta', row: { key: 'note', version: 1, value: 'x' } }],
};

async function tenureOf(one: LeaseKeeper, scope = 'service'): Promise<Tenure> {
  const next = one.next(scope);
  await clock.advance(10);
  const tenure = await Promise.race([next, Promise.resolve(undefined)]);
  if (!tenure) throw new Error(`${scope} is not held`);
  return tenure;
}

describe('leases', () => {
  it('are held by one process of a store at a time, and a start does not wait for those of others', async () => {
    const [a, b] = [keeper('a'), keeper('b')];
    expect([...(await started(a))]).toEqual(SCOPES);
    expect([...(await started(b))]).toEqual([]);
    await clock.advance(60_000);
    expect(SCOPES.map((scope) => [a.holds(scope), b.holds(scope)])).toEqual([
      [true, false],
      [true, false],
    ]);
  });

  it('pass on at the next heartbeat when a process stops', async () => {
    const [a, b] = [keeper('a'), keeper('b')];
    await started(a);
    await started(b);
    const tenure = await tenureOf(a);
    const released = a.release();
    await clock.advance(TTL / 3 + 1);
    await released;
    expect(tenure.held()).toBe(false);
    expect(b.holds('service')).toBe(true);
  });

  it('pass on after their time when a process is stopped, which believes none of them when it goes on', async () => {
    const asleep = clock.process();
    const [a, b] = [keeper('a', asleep), keeper('b')];
    await started(a);
    await started(b);
    const before = await tenureOf(a);
    asleep.pause();
    await clock.advance(TTL + TTL / 3 + 1);
    expect(b.holds('service')).toBe(true);
    // A resumed process may commit first.
    expect(before.held()).toBe(false);
    await expect(before.apply(set)).rejects.toThrow(LeaseLost);
    asleep.resume();
    await clock.advance(10_000);
    expect([a.holds('service'), b.holds('service')]).toEqual([false, true]);
    expect(before.ended.aborted).toBe(true);
    expect(await store.meta('note')).toBeUndefined();
  });

  it('end by themselves before others may have them while the store does not answer', async () => {
    const deaf = store.another();
    await deaf.open();
    const a = keeper('a', clock.process(), deaf);
    await started(a);
    const tenure = await tenureOf(a);
    deaf.claimLeases = () => new Promise(quiet);
    await clock.advance(TTL - 1);
    expect(tenure.held()).toBe(false);
    expect(tenure.ended.aborted).toBe(true);
    // Not taken yet: the fencing token alone would permit it.
    await expect(tenure.apply(set)).rejects.toThrow(LeaseLost);
    expect(await store.meta('note')).toBeUndefined();
  });

  it('are held again once the store answers again, and what waited for them goes on', async () => {
    const flaky = store.another();
    await flaky.open();
    const a = keeper('a', clock.process(), flaky);
    await started(a);
    const before = await tenureOf(a);
    const claim = flaky.claimLeases.bind(flaky);
    flaky.claimLeases = () => Promise.reject(new Error('no connection'));
    await clock.advance(2 * TTL);
    const next = a.next('service');
    flaky.claimLeases = claim;
    await clock.advance(TTL);
    const after = await next;
    expect(after?.held()).toBe(true);
    expect(after).not.toBe(before);
    expect((await after?.apply(set))?.ok).toBe(true);
  });

  it('let what is in flight be recorded when the engine stops, and nothing begin', async () => {
    const a = keeper('a');
    await started(a);
    const tenure = await tenureOf(a);
    a.drain();
    expect(tenure.ended.aborted).toBe(true);
    expect(await a.next('service')).toBeUndefined();
    await clock.advance(2 * TTL);
    expect(tenure.held()).toBe(true);
    expect((await tenure.apply(set)).ok).toBe(true);
  });
});

describe('the fence in every change set of leased work', () => {
  it('refuses what a holder decided before it was overtaken, even if it still believes in its lease', async () => {
    const a = keeper('a');
    await started(a);
    const tenure = await tenureOf(a);
    // An operator, or another store's clock, gave the lease away.
    const leases = await store.claimLeases(['service'], 'a', TTL);
    await store.releaseLeases(leases, 'a');
    await store.claimLeases(['service'], 'b', TTL);
    expect(tenure.held()).toBe(true);
    await expect(tenure.apply(set)).rejects.toThrow(LeaseLost);
    expect(await store.meta('note')).toBeUndefined();
    expect(fenced).toBe(1);
    expect(tenure.ended.aborted).toBe(true);
  });
});

describe('a lane whose lease is lost', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.open();
    await scene.sees([scene.deposit(await scene.quote(1), 'a')]);
  });

  afterEach(() => scene.close());

  const settles = () => scene.round(scene.destination);

  it('signs and sends nothing any more, and writes nothing', async () => {
    scene.held = false;
    await settles();
    expect(scene.destination.prepared).toEqual([]);
  });

  it('between the commit of its bytes and their send, sends nothing: anyone who holds it next sends the same ones', async () => {
    const apply = scene.store.apply.bind(scene.store);
    scene.store.apply = async (changes) => {
      const outcome = await apply(changes);
      if (changes.name === 'engine.settle.sign') scene.held = false;
      return outcome;
    };
    await settles();
    expect(scene.destination.prepared).toHaveLength(1);
    expect(scene.destination.sent).toEqual([]);
    scene.held = true;
    scene.now += 1_000;
    await scene.tracks(scene.destination);
    expect(scene.destination.sent).toEqual([scene.destination.hashUnder('filler:0')]);
  });

  it('to another holder cannot commit what it had signed', async () => {
    const { destination } = scene;
    const sign = destination.sign.bind(destination);
    destination.sign = async (prepared) => {
      await scene.overtaken();
      return sign(prepared);
    };
    await expect(settles()).rejects.toThrow(LeaseLost);
    expect(destination.sent).toEqual([]);
    expect(await scene.store.openKeys(902, SIGNER, 10)).toEqual([]);
    expect((await scene.store.lane(902, SIGNER))?.position).toBe('0');
  });
});

async function started(one: LeaseKeeper): Promise<ReadonlySet<string>> {
  const first = one.start();
  await clock.advance(10);
  return first;
}
