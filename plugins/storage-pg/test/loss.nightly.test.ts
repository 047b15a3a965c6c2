import { setTimeout as sleep } from 'node:timers/promises';
import { CommitUnknownError, type Store, StoreUnavailableError } from '@causeway/core';
import { loseAnswerTo, type TcpPlan } from '@causeway/core/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseUnreachableError, DeadlineError } from '../src/errors.js';
import { PgBench, type PgHarness, storeOn } from './support/pg-harness.js';
import { startOwnPostgres } from './support/postgres.js';
import { applied, hintRow, insert, legRow, set } from './support/rows.js';

let bench: PgBench;

beforeAll(async () => {
  bench = await PgBench.start();
});
afterAll(() => bench?.stop());

let harness: PgHarness;
let store: Store;
let direct: Store;

beforeEach(async () => {
  harness = await bench.harness({ statementTimeoutMs: 300, keepAliveMs: 1_000 });
  store = harness.store;
  direct = await harness.second();
});
afterEach(() => harness.dispose());

const MARK = 'the-marked-set';
const marked = (bytes: Buffer) => bytes.includes(MARK);
const markedSet = () => set(insert('hints', hintRow(1, MARK)), { op: 'count', account: '#n', by: 1n });

const onTheWay =
  (fate: 'cut' | 'freeze'): TcpPlan =>
  ({ from, bytes }) =>
    from === 'client' && marked(bytes) ? fate : 'pass';

describe('a connection that is lost', () => {
  it('between the commit and the answer leaves the outcome unknown, and repeats nothing', async () => {
    harness.proxy.plan = loseAnswerTo(marked);
    await expect(store.apply(markedSet())).rejects.toThrow(CommitUnknownError);
    expect(await direct.pot('#n')).toBe(1n);
    const again = await store.apply(markedSet());
    expect(again).toEqual({ ok: false, conflict: { kind: 'duplicate', table: 'hints', key: 'hint:1' } });
    expect(await direct.pot('#n')).toBe(1n);
  });

  it('before the set arrives leaves the outcome unknown too, and writes nothing', async () => {
    harness.proxy.plan = onTheWay('cut');
    await expect(store.apply(markedSet())).rejects.toThrow(CommitUnknownError);
    harness.proxy.heal();
    expect(await direct.pot('#n')).toBe(0n);
    expect(await store.apply(markedSet())).toEqual({ ok: true });
  });

  it('without a word, before the set arrives, is not waited for', async () => {
    harness.proxy.plan = onTheWay('freeze');
    const started = performance.now();
    await expect(store.apply(markedSet())).rejects.toThrow(CommitUnknownError);
    expect(performance.now() - started).toBeLessThan(5_000);
    harness.proxy.heal();
    expect(await store.apply(markedSet())).toEqual({ ok: true });
  });

  it('without a word, before the answer, is not waited for', async () => {
    harness.proxy.plan = loseAnswerTo(marked, 1, 'freeze');
    await expect(store.apply(markedSet())).rejects.toThrow(CommitUnknownError);
    expect(await direct.pot('#n')).toBe(1n);
    await applied(store, insert('legs', legRow(1)));
  });

  it('under a read fails the read, and the next one succeeds', async () => {
    harness.proxy.plan = onTheWay('freeze');
    await expect(store.apiKeyByHash(MARK)).rejects.toThrow(DeadlineError);
    await expect(store.legs([MARK])).rejects.toThrow(DeadlineError);
    harness.proxy.plan = onTheWay('cut');
    await expect(store.legs([MARK])).rejects.toThrow(StoreUnavailableError);
    await expect(store.apiKeyByHash(MARK)).rejects.toThrow(StoreUnavailableError);
    harness.proxy.heal();
    expect(await store.legs([MARK])).toEqual([]);
    await store.ping();
  });

  it('everywhere at once comes back by itself', async () => {
    await applied(store, insert('legs', legRow(1)));
    harness.proxy.reset();
    await expect.poll(() => store.apply(set(insert('legs', legRow(2)))).catch(() => 'lost')).toEqual({ ok: true });
    expect(await store.legs(['leg:1', 'leg:2'])).toHaveLength(2);
    expect(await store.claimLeases(['service'], 'one', 1_000)).toHaveLength(1);
  });
});

describe('a database that cannot be reached', () => {
  it('is distinguished from an unknown outcome: nothing was sent', async () => {
    await harness.proxy.stop();
    await expect
      .poll(() => store.apply(markedSet()).catch((error: unknown) => error))
      .toBeInstanceOf(DatabaseUnreachableError);
    await expect(store.legs([])).resolves.toEqual([]);
    await expect(store.ping()).rejects.toThrow(DatabaseUnreachableError);
    await expect(store.claimLeases(['service'], 'one', 1)).rejects.toThrow(DatabaseUnreachableError);
    expect((await store.probe?.())?.map(({ ok }) => ok)).toEqual([false]);
    await harness.proxy.start();
    expect(await store.apply(markedSet())).toEqual({ ok: true });
  });

  it('stops a start with its reason, and holds nothing back', async () => {
    await harness.proxy.stop();
    const url = new URL(harness.url);
    url.port = String(harness.proxy.port);
    const late = storeOn(url.href);
    await expect(late.open()).rejects.toThrow(DatabaseUnreachableError);
    await late.close();
    await harness.proxy.start();
    await late.open();
    await late.close();
  });
});

describe('a statement that the server holds up', () => {
  it('is undone by it in time, so that nothing of it is written', async () => {
    await applied(store, insert('legs', legRow(1)));
    const rival = await harness.client();
    await rival.query('begin');
    await rival.query("update causeway.legs set reason = 'rival' where id = 'leg:1'");
    const late = set({ op: 'update', table: 'legs', key: { id: 'leg:1' }, version: 1, set: { reason: 'late' } });
    const refused = await store.apply(late).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreUnavailableError);
    expect(refused).toMatchObject({ cause: { code: '57014' } });
    await rival.query('commit');
    await sleep(100);
    expect((await store.legs(['leg:1']))[0]).toMatchObject({ version: 1, reason: 'rival' });
  });
});

describe('a server that ends in mid-flight', () => {
  for (const how of ['fast', 'crash'] as const) {
    it(`(${how}) keeps all that was answered, and of the rest each set whole or not at all`, async () => {
      const server = await startOwnPostgres();
      const own = await PgBench.start(server);
      const loaded = storeOn(await own.database());
      await loaded.open();
      const outcomes = new Map<number, 'ok' | 'unknown' | 'unreached'>();
      let running = true;
      const worker = async (start: number) => {
        for (let n = start; running; n += 8) {
          const pair = set(insert('legs', legRow(n)), insert('hints', hintRow(n)), {
            op: 'count',
            account: '#n',
            by: 1n,
          });
          const outcome = await loaded.apply(pair).then(
            () => 'ok' as const,
            (error: unknown) => (error instanceof CommitUnknownError ? 'unknown' : 'unreached'),
          );
          outcomes.set(n, outcome);
          if (outcome === 'unreached') await sleep(20);
        }
      };
      const workers = Array.from({ length: 8 }, (_, start) => worker(start));
      await sleep(300);
      await server.halt(how);
      await sleep(200);
      await server.resume();
      const before = outcomes.size;
      await expect.poll(() => [...outcomes.values()].slice(before).includes('ok'), { timeout: 10_000 }).toBe(true);
      running = false;
      await Promise.all(workers);
      const present = new Set((await loaded.legs([...outcomes.keys()].map((n) => legRow(n).id))).map(({ id }) => id));
      for (const [n, outcome] of outcomes) {
        if (outcome === 'ok') expect(present.has(legRow(n).id), `set ${n} was answered`).toBe(true);
        if (outcome === 'unreached') expect(present.has(legRow(n).id), `set ${n} was never sent`).toBe(false);
      }
      expect(await loaded.pot('#n')).toBe(BigInt(present.size));
      expect([...outcomes.values()]).toContain('ok');
      await loaded.close();
      await own.stop();
    });
  }
});
