import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChangeSet, DepositBatch, Logger, Metrics } from '../../src/contract/index.js';
import { DatabaseWentBackError } from '../../src/contract/index.js';
import { isolate } from '../../src/engine/base/isolate.js';
import { createEngine, type Engine } from '../../src/engine/index.js';
import { NO_SCREENING } from '../../src/screening/screening.js';
import { type MemoryStore, memoryStore } from '../../src/testing/index.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock } from '../../src/testing/sim-clock.js';
import { DESTINATION, ORIGIN } from './support/quotes.js';
import { POLICY, Scene } from './support/scene.js';
import { ScriptedChain } from './support/scripted-chain.js';

const quiet = () => undefined;
const metrics: Metrics = { count: quiet, gauge: quiet, observe: quiet };
const gone = new DatabaseWentBackError('the server is on another timeline');
const note: ChangeSet = {
  name: 'note',
  changes: [{ op: 'insert', table: 'meta', row: { key: 'note', version: 1, value: 'x' } }],
};

/** Watched while the engine works. */
class WatchedChain extends ScriptedChain {
  watchers = 0;

  override async *watchDeposits(_cursor: string | undefined, signal: AbortSignal): AsyncGenerator<DepositBatch> {
    this.watchers += 1;
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    this.watchers -= 1;
  }
}

let world: SimClock;
let store: MemoryStore;
let engine: Engine;
let chains: readonly WatchedChain[];
let errors: string[];
let alerts: Set<string>;
let reported: number;

const log: Logger = {
  ...{ debug: quiet, info: quiet, warn: quiet, child: () => log },
  error: (_, message) => void errors.push(message),
};

beforeEach(async () => {
  world = new SimClock(new SeededRandom(3));
  store = memoryStore({ clock: world });
  await store.open();
  chains = [ORIGIN, DESTINATION].map((id) => new WatchedChain(id));
  [errors, alerts, reported] = [[], new Set(), 0];
  engine = createEngine({
    store,
    chains: new Map(chains.map((chain) => [chain.facts.id, chain])),
    liquidity: () => [],
    screening: NO_SCREENING,
    prices: { price: () => ({ ok: true, usd: '1', at: 0 }) },
    policy: POLICY,
    service: 'solver',
    clock: world.process(),
    random: new SeededRandom(4),
    log,
    metrics,
    alerts: { raise: (id) => alerts.add(id), clear: (id) => alerts.delete(id), list: () => [] },
    onDatabaseWentBack: () => {
      reported += 1;
    },
  });
  const started = engine.start();
  await world.advance(5_000);
  await started;
  expect(chains.map(({ watchers }) => watchers)).toEqual([1, 1]);
});

afterEach(async () => {
  const stopped = engine.stop();
  await world.advance(20_000);
  await stopped;
});

/** Refuses every later write, as after a restore. */
function goBack(): { calls: number } {
  const count = { calls: 0 };
  const refuse = () => {
    count.calls += 1;
    return Promise.reject(gone);
  };
  store.apply = refuse;
  store.claimLeases = refuse;
  return count;
}

async function ended(): Promise<void> {
  expect(chains.map(({ watchers }) => watchers)).toEqual([0, 0]);
  expect(reported).toBe(1);
  expect([...alerts]).toEqual(['database-went-back']);
  expect(errors.filter((message) => message.includes('nothing is signed or sent any more'))).toHaveLength(1);
}

describe('a database that lost commits under an engine', () => {
  it('ends its work with the next heartbeat, and is reported once', async () => {
    goBack();
    await world.advance(POLICY.leaseTtlMs / 3 + 100);
    await ended();
  });

  it('ends its work with a write of any other part of the process, at once', async () => {
    goBack();
    await expect(engine.store.apply(note)).rejects.toThrow(gone);
    await world.advance(1);
    await ended();
  });

  it("ends its work with an operator's command, who is notified", async () => {
    goBack();
    await expect(engine.pause('all', true, null)).rejects.toThrow(gone);
    await world.advance(1);
    await ended();
    expect(engine.paused(ORIGIN, DESTINATION)).not.toBe('all');
  });

  it('is asked for nothing more: no lease is claimed, and none is released', async () => {
    const count = goBack();
    let released = 0;
    store.releaseLeases = async () => {
      released += 1;
    };
    await engine.store.apply(note).catch(quiet);
    await world.advance(20_000);
    const stopped = engine.stop();
    await world.advance(1_000);
    await stopped;
    expect(count.calls).toBeLessThan(10);
    expect(released).toBe(0);
  });

  it('is distinguished from a call that failed: work goes on', async () => {
    await expect(engine.store.legs(['x'])).resolves.toEqual([]);
    store.apply = () => Promise.reject(new Error('a bug'));
    await expect(engine.store.apply(note)).rejects.toThrow('a bug');
    expect([reported, alerts.size]).toEqual([0, 0]);
  });
});

describe('a round that meets it', () => {
  it('takes no row for bad', async () => {
    const poisoned: number[] = [];
    const doomed = isolate(
      [1, 2, 3],
      () => Promise.reject(gone),
      (item) => void poisoned.push(item),
    );
    await expect(doomed).rejects.toThrow(gone);
    expect(poisoned).toEqual([]);
  });

  it('sends nothing that it signed', async () => {
    const scene = await Scene.open();
    await scene.sees([scene.deposit(await scene.quote(1), 'a')]);
    const apply = scene.store.apply.bind(scene.store);
    scene.store.apply = (set) => (set.name === 'engine.settle.sign' ? Promise.reject(gone) : apply(set));
    await expect(scene.round(scene.destination)).rejects.toThrow(gone);
    expect(scene.destination.prepared).toHaveLength(1);
    expect(scene.destination.sent).toEqual([]);
    await scene.close();
  });
});
