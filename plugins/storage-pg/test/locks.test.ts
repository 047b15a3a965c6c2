import { setTimeout as sleep } from 'node:timers/promises';
import { type Change, StoreUnavailableError } from '@causeway/core';
import { prepareSet } from '@causeway/core/sql';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { functions } from '../src/sql/functions.js';
import { TIMELINE } from '../src/sql/history.js';
import { names } from '../src/sql/names.js';
import { encodeSet } from '../src/sql/wire.js';
import { metrics, PgBench, type PgHarness, storeOn } from './support/pg-harness.js';
import { applied, change, eventRow, insert, legIds, legRow, move, set } from './support/rows.js';

let bench: PgBench;
let harness: PgHarness;
let rival: pg.Client;

beforeAll(async () => {
  bench = await PgBench.start();
});
afterAll(() => bench?.stop());

beforeEach(async () => {
  harness = await bench.harness();
  rival = await harness.client();
  await rival.query('set search_path to causeway');
  await rival.query('begin');
});
afterEach(() => harness.dispose());

const { calls } = functions(names('causeway'), true);

async function known(): Promise<readonly [timeline: string, position: string]> {
  const { rows } = await rival.query(`select ${TIMELINE} as timeline`);
  return [rows[0].timeline, '0/0'];
}

async function applies(client: pg.Client, ...changes: readonly Change[]): Promise<unknown> {
  const { rows } = await client.query(calls.apply, [encodeSet(prepareSet(set(...changes))).text, ...(await known())]);
  return rows[0].verdict;
}

const rivalApplies = (...changes: readonly Change[]) => applies(rival, ...changes);

async function rivalClaims(scope: string): Promise<void> {
  await rival.query(calls.claim, [[scope], 'two', 60_000, ...(await known())]);
}

/** Long for a statement, short for a test. */
async function standing<T>(promise: Promise<T>): Promise<T | 'waits'> {
  return Promise.race([promise, sleep(300).then(() => 'waits' as const)]);
}

describe('feed positions', () => {
  it('skip no event that drew its number early and was committed late', async () => {
    const { store } = harness;
    expect(await rivalApplies(insert('events', eventRow(1)))).toBeNull();
    await applied(store, insert('events', eventRow(2)));
    const [seen] = await store.events(0, 10);
    expect(seen?.id).toBe('event:2');
    await rival.query('commit');
    expect((await store.events(seen!.position, 10)).map(({ id }) => id)).toEqual(['event:1']);
    // By number alone a reader would have skipped one.
    const { rows } = await rival.query('select id from events order by arrival');
    expect(rows.map(({ id }) => id)).toEqual(['event:1', 'event:2']);
  });

  it('become visible in their own order: who places later waits for who placed before', async () => {
    const { store } = harness;
    await applied(store, insert('events', eventRow(1)));
    await rival.query(calls.feed, [0, 10]);
    await applied(store, insert('events', eventRow(2)));
    const reading = store.events(0, 10);
    expect(await standing(reading)).toBe('waits');
    await rival.query('commit');
    const found = await reading;
    expect(found.map(({ id }) => id)).toEqual(['event:1', 'event:2']);
    expect(found.map(({ position }) => position)).toEqual([1, 2]);
  });

  it('belong to one event for ever, also while one that drew its number earlier comes in', async () => {
    const { store } = harness;
    const early = await harness.client();
    await early.query('begin');
    await applies(early, insert('events', eventRow(1)));
    await applied(store, insert('events', eventRow(2)));
    await rival.query(calls.feed, [0, 10]);
    await early.query('commit');
    const reading = store.events(0, 10);
    expect(await standing(reading)).toBe('waits');
    await rival.query('commit');
    expect((await reading).map(({ id, position }) => [id, position])).toEqual([
      ['event:2', 1],
      ['event:1', 2],
    ]);
  });

  it('are given again when who gave them did not commit', async () => {
    const { store } = harness;
    await applied(store, insert('events', eventRow(1)));
    await rival.query(calls.feed, [0, 10]);
    const reading = store.events(0, 10);
    await rival.query('rollback');
    expect((await reading).map(({ id, position }) => [id, position])).toEqual([['event:1', 1]]);
  });
});

describe('claiming due legs', () => {
  it('passes over a leg that another transaction is changing, and does not wait for it', async () => {
    const { store } = harness;
    await applied(store, insert('legs', legRow(1)), insert('legs', legRow(2)));
    expect(await rivalApplies(change(1, 1, { state: 'bound' }))).toBeNull();
    expect(await legIds(store)).toEqual(['leg:2']);
    await rival.query('rollback');
    expect(await legIds(store)).toEqual(['leg:1', 'leg:2']);
  });

  it('by two workers at once shows both the same', async () => {
    const { store } = harness;
    await applied(store, insert('legs', legRow(1)));
    await rival.query("select 1 from legs where id = 'leg:1' for share");
    expect(await legIds(store)).toEqual(['leg:1']);
  });
});

describe('leases', () => {
  const SCOPE = 'lane:1:a';
  const fence = (token: number): Change => ({ op: 'fence', scope: SCOPE, token });

  it('do not change hands under a write that is fenced by them', async () => {
    const { store } = harness;
    const [lease] = await store.claimLeases([SCOPE], 'one', 0);
    expect(await rivalApplies(fence(lease!.token), insert('legs', legRow(1)))).toBeNull();
    expect(await store.claimLeases([SCOPE], 'two', 1_000)).toEqual([]);
    await rival.query('commit');
    expect((await store.claimLeases([SCOPE], 'two', 1_000))[0]?.token).toBeGreaterThan(lease!.token);
  });

  it('are prolonged while writes are fenced by them', async () => {
    const { store } = harness;
    const [lease] = await store.claimLeases([SCOPE], 'one', 1_000);
    expect(await rivalApplies(fence(lease!.token), insert('legs', legRow(1)))).toBeNull();
    expect(await standing(store.claimLeases([SCOPE], 'one', 60_000))).toEqual([lease]);
    await rival.query('commit');
    expect(await store.claimLeases([SCOPE], 'two', 1_000)).toEqual([]);
  });

  it('let a fence decide only once a change of hands is decided', async () => {
    const { store } = harness;
    const [lease] = await store.claimLeases([SCOPE], 'one', 0);
    await rivalClaims(SCOPE);
    const writing = store.apply(set(fence(lease!.token), insert('legs', legRow(1))));
    expect(await standing(writing)).toBe('waits');
    await rival.query('commit');
    expect(await writing).toEqual({ ok: false, conflict: { kind: 'fenced', table: 'leases', key: SCOPE } });
    expect(await legIds(store)).toEqual([]);
  });

  it('leave a fence valid when the change of hands was taken back', async () => {
    const { store } = harness;
    const [lease] = await store.claimLeases([SCOPE], 'one', 0);
    await rivalClaims(SCOPE);
    const writing = store.apply(set(fence(lease!.token), insert('legs', legRow(1))));
    expect(await standing(writing)).toBe('waits');
    await rival.query('rollback');
    expect(await writing).toEqual({ ok: true });
  });
});

describe('what a set is judged by', () => {
  const decided: readonly (readonly [subject: string, theirs: Change[], ours: Change[], conflict: object])[] = [
    [
      'a version that it requires',
      [change(1, 1)],
      [{ op: 'require', table: 'legs', key: { id: 'leg:1' }, version: 1 }, insert('legs', legRow(9))],
      { kind: 'version', table: 'legs', key: 'leg:1' },
    ],
    [
      'a version that it changes',
      [{ op: 'require', table: 'legs', key: { id: 'leg:1' }, version: 1 }, change(1, 1)],
      [insert('legs', legRow(9)), change(1, 1)],
      { kind: 'version', table: 'legs', key: 'leg:1' },
    ],
    [
      'a key that it claims',
      [insert('legs', legRow(9, { amount: 1n }))],
      [change(1, 1), insert('legs', legRow(9))],
      { kind: 'duplicate', table: 'legs', key: 'leg:9' },
    ],
    [
      'a group that it posts, whatever accounts are named',
      [move('g', 'a', 'b', 1n)],
      [insert('legs', legRow(9)), move('g', 'c', 'd', 1n)],
      { kind: 'duplicate', table: 'postings', key: 'g' },
    ],
    [
      'a pot that bounds its counter',
      [move('spend', 'inventory', 'outside', 6n)],
      [
        insert('legs', legRow(9)),
        { op: 'count', account: '#r', by: 5n, atMostPot: { account: 'inventory', keep: 0n } },
      ],
      { kind: 'bound', table: 'pots', key: '#r' },
    ],
    [
      'a counter within its bounds',
      [{ op: 'count', account: '#r', by: 5n }],
      [insert('legs', legRow(9)), { op: 'count', account: '#r', by: 6n, atMost: 10n }],
      { kind: 'bound', table: 'pots', key: '#r' },
    ],
  ];

  for (const [subject, theirs, ours, conflict] of decided) {
    it(`waits for a rival that has not committed: ${subject}`, async () => {
      const { store } = harness;
      await applied(store, insert('legs', legRow(1)), move('g0', 'outside', 'inventory', 10n));
      expect(await rivalApplies(...theirs)).toBeNull();
      const writing = store.apply(set(...ours));
      expect(await standing(writing)).toBe('waits');
      await rival.query('commit');
      expect(await writing).toEqual({ ok: false, conflict });
      expect((await store.legs(['leg:9'])).every(({ amount }) => amount === 1n)).toBe(true);
    });

    it(`forgets a rival that took its set back: ${subject}`, async () => {
      const { store } = harness;
      await applied(store, insert('legs', legRow(1)), move('g0', 'outside', 'inventory', 10n));
      expect(await rivalApplies(...theirs)).toBeNull();
      const writing = store.apply(set(...ours));
      expect(await standing(writing)).toBe('waits');
      await rival.query('rollback');
      expect(await writing).toEqual({ ok: true });
    });
  }

  it('stays as it was judged until the set is committed', async () => {
    const { store } = harness;
    await applied(store, insert('legs', legRow(1)), move('g0', 'outside', 'inventory', 10n));
    const reserve: Change = { op: 'count', account: '#r', by: 10n, atMostPot: { account: 'inventory', keep: 0n } };
    expect(await rivalApplies({ op: 'require', table: 'legs', key: { id: 'leg:1' }, version: 1 }, reserve)).toBeNull();
    const changing = store.apply(set(change(1, 1)));
    const spending = store.apply(set(move('spend', 'inventory', 'outside', 1n)));
    expect([await standing(changing), await standing(spending)]).toEqual(['waits', 'waits']);
    await rival.query('commit');
    expect([await changing, await spending]).toEqual([{ ok: true }, { ok: true }]);
  });
});

describe('pots that are not there yet', () => {
  const add = (name: string, by = 1n): Change => ({ op: 'count', account: name, by });

  it('are locked in one order, whatever the order of the steps', async () => {
    const { store } = harness;
    expect(await rivalApplies(add('#a'))).toBeNull();
    const writing = store.apply(set(add('#b'), add('#a')));
    expect(await standing(writing)).toBe('waits');
    // A set that waits for its first pot holds none of the later ones.
    expect(await standing(store.apply(set(add('#b'))))).toEqual({ ok: true });
    await rival.query('commit');
    expect(await writing).toEqual({ ok: true });
    expect([await store.pot('#a'), await store.pot('#b')]).toEqual([2n, 2n]);
  });

  it('come before the keys that a set inserts, like pots that are there', async () => {
    const { store } = harness;
    expect(await rivalApplies(add('#a'))).toBeNull();
    const writing = store.apply(set(insert('legs', legRow(1)), add('#a')));
    expect(await standing(writing)).toBe('waits');
    expect(await standing(store.apply(set(insert('legs', legRow(1)))))).toEqual({ ok: true });
    await rival.query('commit');
    expect(await writing).toEqual({ ok: false, conflict: { kind: 'duplicate', table: 'legs', key: 'leg:1' } });
    expect(await store.pot('#a')).toBe(1n);
  });

  it('stay empty until who is bounded by them has committed, and are not left behind', async () => {
    const { store } = harness;
    const bounded: Change = { op: 'count', account: '#r', by: 0n, atMostPot: { account: 'inventory', keep: 0n } };
    expect(await rivalApplies(bounded)).toBeNull();
    const spending = store.apply(set(move('spend', 'inventory', 'outside', 1n)));
    expect(await standing(spending)).toBe('waits');
    await rival.query('commit');
    expect(await spending).toEqual({ ok: true });
    expect(await store.apply(set({ ...bounded, atMostPot: { account: 'other', keep: 0n } }))).toEqual({ ok: true });
    expect((await store.pots('')).map(({ account }) => account)).toEqual(['#r', 'inventory', 'outside']);
  });

  it('cost no one another try, however many sets open them at once', async () => {
    const counted: string[] = [];
    const counting = { ...metrics, count: (name: string) => void counted.push(name) };
    const stores = [storeOn(harness.url, {}, { metrics: counting }), storeOn(harness.url, {}, { metrics: counting })];
    await Promise.all(stores.map((store) => store.open()));
    try {
      for (let round = 0; round < 10; round += 1) {
        const names = Array.from({ length: 4 }, (_, n) => `#${round}/${n}`);
        const forth = names.map((name) => add(name));
        const outcomes = await Promise.all(
          Array.from({ length: 24 }, (_, n) =>
            stores[n % 2]!.apply(set(...(n % 3 === 0 ? forth : forth.toReversed()))),
          ),
        );
        expect(outcomes.every(({ ok }) => ok)).toBe(true);
        expect(await Promise.all(names.map((name) => stores[0]!.pot(name)))).toEqual(names.map(() => 24n));
      }
    } finally {
      await Promise.all(stores.map((store) => store.close()));
    }
    expect(counted).not.toContain('apply_repeats');
  });
});

describe('a rival that the server undid us for', () => {
  it('costs a deadlock another try, not the set', async () => {
    const { store } = harness;
    await applied(store, insert('legs', legRow(1)), insert('legs', legRow(2)));
    await rival.query("set local deadlock_timeout = '30s'");
    await rival.query("update legs set reason = 'rival' where id = 'leg:2'");
    const writing = store.apply(set(change(1, 1, { state: 'bound' }), change(2, 1, { state: 'bound' })));
    expect(await standing(writing)).toBe('waits');
    await rival.query("update legs set reason = 'rival' where id = 'leg:1'");
    await rival.query('commit');
    expect(await writing).toEqual({ ok: true });
    const rows = await store.legs(['leg:1', 'leg:2']);
    expect(rows.map(({ state, reason, version }) => [state, reason, version])).toEqual([
      ['bound', 'rival', 2],
      ['bound', 'rival', 2],
    ]);
  });

  async function failing(times: number): Promise<void> {
    await rival.query('rollback');
    await rival.query('create sequence tries');
    await rival.query(
      `create function fail() returns trigger language plpgsql as $$ begin
         if nextval('causeway.tries') <= ${times} then raise exception using errcode = '40001'; end if;
         return new; end $$`,
    );
    await rival.query('create trigger fail before insert on legs for each row execute function fail()');
  }

  it('costs a serialization failure another try', async () => {
    await failing(3);
    await applied(harness.store, insert('legs', legRow(1)), { op: 'count', account: '#n', by: 1n });
    expect(await harness.store.pot('#n')).toBe(1n);
    expect((await rival.query('select last_value from tries')).rows[0].last_value).toBe('4');
  });

  it('is reported when it never ends, as a failure that wrote nothing', async () => {
    await failing(1_000);
    await expect(harness.store.apply(set(insert('legs', legRow(1))))).rejects.toThrow(StoreUnavailableError);
    expect(await harness.store.legs(['leg:1'])).toEqual([]);
  });
});

describe('rows as they are kept', () => {
  it('hold text that PostgreSQL cannot, with its place marked', async () => {
    const { store } = harness;
    await applied(store, insert('legs', legRow(1, { reason: 'a\0b\ud800c \u{1f680} \\u0000' })));
    expect((await store.legs(['leg:1']))[0]?.reason).toBe('a\ufffdb\ufffdc \u{1f680} \\u0000');
    expect(await store.legs(['\0'])).toEqual([]);
  });

  it('are read where their column is compared by bytes, whatever the locale of the database', async () => {
    const { store } = harness;
    const accounts = ['a:1', 'A:2', 'a-3', 'B', 'b', 'ä'];
    await applied(store, ...accounts.map((account): Change => ({ op: 'count', account, by: 1n })));
    expect((await store.pots('')).map(({ account }) => account)).toEqual([...accounts].sort());
    expect((await store.pots('a')).map(({ account }) => account)).toEqual(['a-3', 'a:1']);
  });
});
