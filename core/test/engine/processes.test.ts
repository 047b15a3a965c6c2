import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DepositBatch, KeysByHistory, Logger, Metrics } from '../../src/contract/index.js';
import { createEngine, type Engine, type EngineDeps } from '../../src/engine/index.js';
import { NO_SCREENING } from '../../src/screening/screening.js';
import { type MemoryStore, memoryStore } from '../../src/testing/index.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock, type SimProcessClock } from '../../src/testing/sim-clock.js';
import { DESTINATION, ORIGIN } from './support/quotes.js';
import { POLICY } from './support/scene.js';
import { ScriptedChain } from './support/scripted-chain.js';

/** Blocks every second of the world's clock. */
class TickingChain extends ScriptedChain {
  watchers = 0;
  readonly #world: SimClock;
  readonly #own: SimProcessClock;

  constructor(id: number, world: SimClock, own: SimProcessClock) {
    super(id);
    this.#world = world;
    this.#own = own;
  }

  override async *watchDeposits(_cursor: string | undefined, signal: AbortSignal): AsyncGenerator<DepositBatch> {
    this.watchers += 1;
    try {
      while (!signal.aborted) {
        const height = Math.floor(this.#world.monotonic() / 1_000);
        const head = { height, id: `b${height}`, timestamp: this.#world.now() };
        yield { cursor: `c${height}`, head, finalized: head, deposits: [] };
        await this.#own.sleep(1_000, signal);
      }
    } finally {
      this.watchers -= 1;
    }
  }
}

/** Expiring messages; a position is its observation time. */
function runsOut(chain: TickingChain, validMs: number): void {
  const position = () => String(world.monotonic());
  const sentSince: KeysByHistory['sentSince'] = async (_signer, _ledger, start) => ({
    sent: [],
    pending: world.monotonic() < Number(start) + validMs,
    position: position(),
  });
  chain.keys = { by: 'history', lanePosition: async () => position(), sentSince };
}

interface Process {
  readonly engine: Engine;
  readonly clock: SimProcessClock;
  readonly chains: readonly TickingChain[];
}

let world: SimClock;
let store: MemoryStore;
let running: Engine[];
/** Gauge values by name, newest last. */
let gauged: Map<string, number[]>;

const quiet = () => undefined;
const log: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
const gauge: Metrics['gauge'] = (name, _help, value) => gauged.set(name, [...(gauged.get(name) ?? []), value]);
const metrics: Metrics = { count: quiet, gauge, observe: quiet };

beforeEach(async () => {
  world = new SimClock(new SeededRandom(7));
  store = memoryStore({ clock: world });
  await store.open();
  running = [];
  gauged = new Map();
});

afterEach(async () => {
  const stopped = Promise.all(running.map((engine) => engine.stop()));
  await world.advance(20_000);
  await stopped;
});

async function process(seed: number): Promise<Process> {
  const clock = world.process();
  const own = store.another();
  await own.open();
  const chains = [ORIGIN, DESTINATION].map((id) => new TickingChain(id, world, clock));
  const deps: EngineDeps = {
    store: own,
    chains: new Map(chains.map((chain) => [chain.facts.id, chain])),
    liquidity: () => [],
    screening: NO_SCREENING,
    prices: { price: () => ({ ok: true, usd: '1', at: 0 }) },
    policy: POLICY,
    service: 'solver',
    clock,
    random: new SeededRandom(seed),
    log,
    metrics,
    alerts: { raise: quiet, clear: quiet, list: () => [] },
  };
  const engine = createEngine(deps);
  running.push(engine);
  return { engine, clock, chains };
}

/** World time of a start. */
async function startOf({ engine }: Process, options?: { readonly work: boolean }): Promise<number> {
  const before = world.monotonic();
  let after: number | undefined;
  const started = engine.start(options).then(() => {
    after = world.monotonic();
  });
  await world.run({ until: before + 10_000, stop: () => after !== undefined });
  await started;
  return (after ?? Number.POSITIVE_INFINITY) - before;
}

const watching = (one: Process) => one.chains.map(({ watchers }) => watchers);

describe('two processes on one database', () => {
  it('share the work, and the second one starts without waiting for it', async () => {
    const [a, b] = [await process(1), await process(2)];
    expect(await startOf(a)).toBeLessThan(3_000);
    expect(await startOf(b)).toBeLessThan(1_000);
    await world.advance(30_000);
    expect([watching(a), watching(b)]).toEqual([
      [1, 1],
      [0, 0],
    ]);
  });

  it('pass it on when one stops, at once, and when one dies, within the time of its leases', async () => {
    const [a, b, c] = [await process(1), await process(2), await process(3)];
    await startOf(a);
    await startOf(b);
    const stopped = a.engine.stop();
    await world.advance(1_100);
    await stopped;
    expect([watching(a), watching(b)]).toEqual([
      [0, 0],
      [1, 1],
    ]);
    await startOf(c);
    b.clock.kill();
    running.splice(running.indexOf(b.engine), 1);
    await world.advance(POLICY.leaseTtlMs + 1_100);
    expect(watching(c)).toEqual([1, 1]);
  });

  it('take a lane over without a rest where messages run out, if they have stood by for long enough', async () => {
    const [a, b] = [await process(1), await process(2)];
    for (const { chains } of [a, b]) for (const chain of chains) runsOut(chain, 90_000);
    await startOf(a);
    await startOf(b);
    await world.advance(120_000);
    expect((await store.lanes()).map(({ halted }) => halted)).toEqual([null, null]);
    a.clock.kill();
    running.splice(running.indexOf(a.engine), 1);
    await world.advance(POLICY.leaseTtlMs + 1_100);
    expect(watching(b)).toEqual([1, 1]);
    expect((await store.lanes()).map(({ halted }) => halted)).toEqual([null, null]);
    const c = await process(3);
    for (const chain of c.chains) runsOut(chain, 90_000);
    await startOf(c);
    b.clock.kill();
    running.splice(running.indexOf(b.engine), 1);
    await world.advance(POLICY.leaseTtlMs + 1_100);
    expect((await store.lanes()).every(({ halted }) => halted?.includes('still land'))).toBe(true);
  });

  it('take it over from one that is stopped, which begins again, as a stand-by, when it goes on', async () => {
    const [a, b] = [await process(1), await process(2)];
    await startOf(a);
    await startOf(b);
    a.clock.pause();
    await world.advance(6_000);
    expect(watching(b)).toEqual([1, 1]);
    a.clock.resume();
    await world.advance(6_000);
    expect([watching(a), watching(b)]).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });
});

describe('a process that holds no lease', () => {
  it.each([
    ['a stand-by', { work: true }],
    ['one that only quotes', { work: false }],
  ])('%s follows cursors, switches and inventory from the database', async (_, options) => {
    const [a, b] = [await process(1), await process(2)];
    await startOf(a);
    await startOf(b, options);
    await world.advance(2_000);
    expect(b.engine.paused(ORIGIN, DESTINATION)).toBeNull();
    // One fill's fee is reserved.
    expect(b.engine.available(DESTINATION, `coin-${DESTINATION}`)).toBe(1_000_000n - 10n);
    await a.engine.pause('all', true, 'test');
    await world.advance(300);
    expect(b.engine.paused(ORIGIN, DESTINATION)).toBe('all');
    await b.engine.pause('all', false, null);
    await world.advance(300);
    expect(a.engine.paused(ORIGIN, DESTINATION)).toBeNull();
    expect(watching(b)).toEqual([0, 0]);
  });

  it('knows what keeps the watcher from reading a chain that its own providers read, until that ends', async () => {
    const [a, b, c] = [await process(1), await process(2), await process(3)];
    await startOf(a);
    await startOf(b);
    await startOf(c, { work: false });
    const problems = () => [b, c].map(({ engine }) => engine.chainStatus(ORIGIN).reason);
    await world.advance(2_000);
    expect(problems()).toEqual([null, null]);
    a.chains[0]!.problem = 'deposit addresses cannot be read: provider 1 (host): a pox';
    await world.advance(2_000);
    expect(problems()).toEqual(Array(2).fill(a.chains[0]!.problem));
    a.clock.kill();
    running.splice(running.indexOf(a.engine), 1);
    await world.advance(POLICY.leaseTtlMs + 3_000);
    expect([watching(b), problems()]).toEqual([
      [1, 1],
      [null, null],
    ]);
  });

  it('reports what the books say, again and again, though it only quotes', async () => {
    await startOf(await process(1), { work: false });
    await world.advance(21_000);
    const read = gauged.get('books_read_timestamp_seconds') ?? [];
    expect(read.length).toBeGreaterThanOrEqual(4);
    expect(read.at(-1)).toBeGreaterThan((read[0] ?? Number.NaN) + 14);
    expect(gauged.get('exposure_usd')?.length).toBe(2 * read.length);
  });

  it('quotes nothing from a chain that no one ever watched', async () => {
    const b = await process(2);
    await startOf(b, { work: false });
    await world.advance(2_000);
    expect(b.engine.paused(ORIGIN, DESTINATION)).toBe('chain');
  });
});
