import assert from 'node:assert/strict';
import type { ApplyOutcome, Change, Store } from '../contract/store.js';
import { applied, during, range } from './store-asserts.js';
import { rivals, type StoreCase } from './store-case.js';
import * as rows from './store-fixtures.js';

const { insert, changeSet } = rows;
const laneKey = { id: rows.laneRow(1).id };
const advance = (version: number, position: string): Change => ({
  op: 'update',
  table: 'lanes',
  key: laneKey,
  version,
  set: { position },
});

export const concurrencyCases: readonly StoreCase[] = [
  {
    name: 'takes a refused set back to the last step before the next of its commit is judged',
    async run({ store }) {
      await applied(store, insert('lanes', rows.laneRow(1)), rows.move('g0', 'a', 'b', 5n));
      const [refused, next] = await Promise.all([
        store.apply(
          changeSet(
            { op: 'count', account: '#c', by: 1n },
            { op: 'count', account: '#c', by: 1n },
            rows.move('g1', 'a', 'b', 1n),
            rows.move('g2', 'a', 'b', 1n),
            advance(1, 'first'),
            advance(2, 'second'),
            insert('lanes', rows.laneRow(2)),
            { op: 'update', table: 'lanes', key: { id: rows.laneRow(2).id }, version: 1, set: { position: 'x' } },
            { op: 'update', table: 'lanes', key: { id: rows.laneRow(2).id }, version: 2, set: { position: 'y' } },
            { op: 'require', table: 'lanes', key: laneKey, version: 9 },
          ),
        ),
        store.apply(
          changeSet(
            { op: 'count', account: '#c', by: 3n, atMost: 3n },
            rows.move('g2', 'a', 'b', 2n),
            advance(1, 'next'),
            insert('lanes', rows.laneRow(2)),
          ),
        ),
      ]);
      assert.deepEqual([refused?.ok, next?.ok], [false, true]);
      assert.deepEqual(await store.lanes(), [rows.laneRow(1, { version: 2, position: 'next' }), rows.laneRow(2)]);
      assert.deepEqual([await store.pot('#c'), await store.pot('a'), await store.pot('b')], [3n, -7n, 7n]);
    },
  },
  {
    name: 'lets exactly one of many win each version',
    async run({ store }) {
      await applied(store, insert('lanes', rows.laneRow(1)));
      for (const version of range(5)) {
        const racers = range(25).map((n) => store.apply(changeSet(advance(version, `${version}/${n}`))));
        const outcomes = await Promise.all(racers);
        const winners = outcomes.flatMap((outcome, at) => (outcome.ok ? [`${version}/${at + 1}`] : []));
        assert.equal(winners.length, 1);
        const lane = await store.lane(902, 'filler1');
        assert.deepEqual(lane, rows.laneRow(1, { version: version + 1, position: winners[0] ?? '' }));
      }
    },
  },
  {
    name: 'loses no update of readers that decide again after a conflict',
    async run(harness) {
      const stores = await rivals(harness);
      const { store } = harness;
      await applied(store, insert('lanes', rows.laneRow(1, { position: '0' })));
      await Promise.all(
        range(12).map(async (n) => {
          const own = stores[n % 2] as Store;
          for (let done = 0; done < 5; ) {
            const lane = await own.lane(902, 'filler1');
            const outcome = await own.apply(
              changeSet(advance(lane?.version ?? 0, String(Number(lane?.position) + 1)), {
                op: 'count',
                account: '#n',
                by: 1n,
              }),
            );
            if (outcome.ok) done += 1;
          }
        }),
      );
      assert.deepEqual(await store.lane(902, 'filler1'), rows.laneRow(1, { version: 61, position: '60' }));
      assert.equal(await store.pot('#n'), 60n);
    },
  },
  {
    name: 'judges sets that share a commit alone and in order',
    async run({ store, second }) {
      const leg = rows.legRow(1);
      const key = { id: leg.id };
      const sets: Change[][] = [
        [insert('legs', leg), { op: 'count', account: '#c', by: 5n }],
        [insert('legs', rows.legRow(2)), insert('legs', leg)],
        [{ op: 'update', table: 'legs', key, version: 1, set: { state: 'bound' } }],
        [{ op: 'update', table: 'legs', key: { id: rows.legRow(2).id }, version: 1, set: { state: 'bound' } }],
        [
          { op: 'count', account: '#c', by: 5n },
          { op: 'count', account: '#c', by: 1n, atMost: 10n },
        ],
        [{ op: 'count', account: '#c', by: 5n, atMost: 10n }],
        [rows.move('g1', 'a', 'b', 1n), { op: 'require', table: 'legs', key, version: 1 }],
        [rows.move('g1', 'a', 'b', 2n), { op: 'require', table: 'legs', key, version: 2 }],
        [{ op: 'update', table: 'legs', key, version: 2, set: { reason: 'late' } }],
      ];
      const outcomes: ApplyOutcome[] = [];
      if (second) {
        // Concurrent sets have no order with several writers.
        for (const changes of sets) outcomes.push(await store.apply(changeSet(...changes)));
      } else {
        outcomes.push(...(await Promise.all(sets.map((changes) => store.apply(changeSet(...changes))))));
      }
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.conflict.kind)),
        ['ok', 'duplicate', 'ok', 'version', 'bound', 'ok', 'version', 'ok', 'ok'],
      );
      const expected = rows.legRow(1, { version: 3, state: 'bound', reason: 'late' });
      assert.deepEqual(await store.legs([leg.id, rows.legRow(2).id]), [expected]);
      assert.equal(await store.pot('#c'), 10n);
      assert.equal(await store.pot('b'), 2n);
    },
  },
  {
    name: 'writes many quotes at once and refuses only the one that is taken',
    async run({ store }) {
      await applied(store, insert('quotes', rows.quoteRow(1)));
      const many = range(200, 2).map((n) => rows.quoteRow(n));
      many[100] = rows.quoteRow(102, { orderId: rows.orderId(1) });
      const outcomes = await Promise.all(many.map((row) => store.apply(changeSet(insert('quotes', row)))));
      assert.equal(outcomes.filter((outcome) => outcome.ok).length, 199);
      assert.equal(outcomes[100]?.ok, false);
      const stored = await store.quotesByOrder(range(201).map(rows.orderId));
      assert.equal(stored.length, 200);
      const twice = await Promise.all([1, 2].map(() => store.apply(changeSet(insert('quotes', rows.quoteRow(500))))));
      assert.equal(twice.filter((outcome) => outcome.ok).length, 1);
    },
  },
  {
    name: 'answers apply only once its rows can be read',
    async run({ store }) {
      await Promise.all(
        range(60).map(async (n) => {
          await applied(store, insert('quotes', rows.quoteRow(n)));
          assert.deepEqual(await store.quote(rows.requestId(n)), rows.quoteRow(n));
          await applied(store, insert('requests', rows.requestRow(n)), insert('deposits', rows.depositRow(n)));
          const [view] = await store.views([rows.requestId(n)]);
          assert.deepEqual([view?.request, view?.deposits], [rows.requestRow(n), [rows.depositRow(n)]]);
        }),
      );
    },
  },
  {
    name: 'shows a whole change set or nothing of it',
    async run(harness) {
      const [store, reader] = await rivals(harness);
      const ids = range(60).map(rows.requestId);
      const writing = (async () => {
        for (const n of range(60))
          await applied(store, insert('requests', rows.requestRow(n)), insert('legs', rows.legRow(n)));
      })();
      await during(writing, async () => {
        for (const view of await reader.views(ids)) assert.equal(view.legs.length, 1);
      });
    },
  },
  {
    name: 'orders the events of one set as they were given',
    async run({ store }) {
      const events = range(50).map((sequence) => rows.eventRow(1, { id: `e${sequence}`, sequence }));
      await applied(store, ...events.map((row) => insert('events', row)));
      const stored = await store.events(0, 100);
      assert.deepEqual(
        stored.map((event) => event.sequence),
        range(50),
      );
    },
  },
  {
    name: 'writes what it was given before it closes, and takes nothing afterwards',
    async run({ store, reopen }) {
      const given = range(120).map((n) => store.apply(changeSet(insert('requests', rows.requestRow(n)))));
      const closing = store.close();
      const outcomes = await Promise.all(given);
      assert.ok(outcomes.every((outcome) => outcome.ok));
      await closing;
      await assert.rejects(store.apply(changeSet(insert('requests', rows.requestRow(500)))));
      await assert.rejects(store.request(rows.requestId(1)));
      const again = await reopen();
      assert.equal((await again.requests(range(120).map(rows.requestId))).length, 120);
      assert.equal(await again.request(rows.requestId(500)), undefined);
    },
  },
];
