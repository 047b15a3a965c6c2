import assert from 'node:assert/strict';
import type { Change } from '../contract/store.js';
import { applied, refused } from './store-asserts.js';
import type { StoreCase } from './store-case.js';
import * as rows from './store-fixtures.js';

const { insert, changeSet } = rows;

/** One row of each table, after the rows they refer to. */
function oneOfEach(n: number): Change[] {
  return [
    insert('quotes', rows.quoteRow(n)),
    insert('requests', rows.requestRow(n)),
    insert('deposits', rows.depositRow(n)),
    insert('legs', rows.legRow(n)),
    insert('keys', rows.keyRow(n)),
    insert('attempts', rows.attemptRow(n)),
    insert('attemptLegs', rows.attemptLegRow(n)),
    insert('lanes', rows.laneRow(n)),
    insert('cursors', rows.cursorRow(n)),
    insert('events', rows.eventRow(n)),
    insert('transactions', rows.transactionRow(n)),
    insert('apiKeys', rows.apiKeyRow(n)),
    insert('integrators', rows.integratorRow(n)),
    insert('pauses', rows.pauseRow(n)),
    insert('hints', rows.hintRow(n)),
    insert('holds', rows.holdRow(n)),
    insert('meta', rows.metaRow(n)),
  ];
}

/** Rows that differ in one unique key only. */
const SAME_BY_ANOTHER_KEY: readonly (readonly [subject: string, Change])[] = [
  ['quotes by order', insert('quotes', rows.quoteRow(2, { orderId: rows.orderId(1) }))],
  ['parents of an order', insert('requests', rows.requestRow(2, { orderId: rows.orderId(1) }))],
  ['attempts by hash', insert('attempts', rows.attemptRow(1, { id: '902:1#2', n: 2 }))],
  ['events by sequence', insert('events', rows.eventRow(1, { id: 'event-2' }))],
  ['API keys by hash', insert('apiKeys', rows.apiKeyRow(2, { hash: 'hash-1' }))],
];

const legKey = (n: number) => ({ id: rows.legRow(n).id });

export const applyCases: readonly StoreCase[] = [
  {
    name: 'keeps every row as it was given, and again after a restart',
    async run({ store, reopen }) {
      await applied(store, ...oneOfEach(1));
      for (const open of [() => Promise.resolve(store), reopen]) {
        const now = await open();
        assert.deepEqual(await now.quote(rows.requestId(1)), rows.quoteRow(1));
        assert.deepEqual(await now.request(rows.requestId(1)), rows.requestRow(1));
        assert.deepEqual(await now.deposits([rows.fundingKey(1)]), [rows.depositRow(1)]);
        assert.deepEqual(await now.legs([rows.legRow(1).id]), [rows.legRow(1)]);
        const attempt = { ...rows.attemptRow(1), legIds: [rows.legRow(1).id] };
        assert.deepEqual(await now.openKeys(902, 'filler', 5), [
          { key: rows.keyRow(1), attempts: [attempt], legs: [rows.legRow(1)] },
        ]);
        assert.deepEqual(await now.lane(902, 'filler1'), rows.laneRow(1));
        assert.deepEqual(await now.cursor(1), rows.cursorRow(1));
        const [{ position, ...event } = { position: 0 }] = await now.events(0, 5);
        assert.ok(position > 0);
        assert.deepEqual(event, rows.eventRow(1));
        assert.deepEqual(await now.undescribed(5), [rows.transactionRow(1)]);
        assert.deepEqual(await now.apiKeys(), [rows.apiKeyRow(1)]);
        assert.deepEqual(await now.integrators(), [rows.integratorRow(1)]);
        assert.deepEqual(await now.pauses(), [rows.pauseRow(1)]);
        assert.deepEqual(await now.holds('open'), [rows.holdRow(1)]);
        assert.deepEqual(await now.meta('anchor:1'), rows.metaRow(1));
      }
    },
  },
  {
    name: 'refuses a second row with the same key, on every table',
    async run({ store }) {
      await applied(store, ...oneOfEach(1));
      for (const change of oneOfEach(1)) {
        assert.equal(change.op, 'insert');
        if (change.op === 'insert') await refused(store, 'duplicate', change.table, change);
      }
    },
  },
  {
    name: 'refuses a row that another unique key already names',
    async run({ store }) {
      await applied(store, ...oneOfEach(1));
      for (const [subject, change] of SAME_BY_ANOTHER_KEY) {
        const outcome = await store.apply(changeSet(change));
        assert.equal(outcome.ok ? 'taken' : outcome.conflict.kind, 'duplicate', subject);
      }
      assert.equal((await store.events(0, 10)).length, 1);
    },
  },
  {
    name: 'allows one parent per order and any number of children',
    async run({ store }) {
      const child = (n: number) => rows.requestRow(n, { orderId: rows.orderId(1), parentRequestId: rows.requestId(1) });
      await applied(store, insert('requests', child(2)));
      await applied(store, insert('requests', rows.requestRow(1)));
      await applied(store, insert('requests', child(3)));
      await refused(
        store,
        'duplicate',
        'requests',
        insert('requests', rows.requestRow(4, { orderId: rows.orderId(1) })),
      );
      assert.deepEqual(await store.requestsByOrder([rows.orderId(1)]), [rows.requestRow(1)]);
    },
  },
  {
    name: 'skips a row that exists where that was asked for, and writes the rest',
    async run({ store }) {
      await applied(store, insert('legs', rows.legRow(1)));
      await applied(
        store,
        insert('legs', rows.legRow(1, { amount: 1n }), true),
        insert('legs', rows.legRow(2), true),
        insert('legs', rows.legRow(2, { amount: 2n }), true),
        insert('quotes', rows.quoteRow(1), true),
        insert('quotes', rows.quoteRow(2, { orderId: rows.orderId(1) }), true),
      );
      assert.deepEqual((await store.legs([rows.legRow(1).id]))[0], rows.legRow(1));
      assert.deepEqual((await store.legs([rows.legRow(2).id]))[0], rows.legRow(2));
      await applied(
        store,
        insert('quotes', rows.quoteRow(3, { orderId: rows.orderId(1) }), true),
        insert('requests', rows.requestRow(1), true),
      );
      assert.deepEqual(await store.quotesByOrder([rows.orderId(1)]), [rows.quoteRow(1)]);
      assert.deepEqual(await store.request(rows.requestId(1)), rows.requestRow(1));
    },
  },
  {
    name: 'updates only the named fields and counts the version',
    async run({ store }) {
      await applied(store, insert('legs', rows.legRow(1)), insert('keys', rows.keyRow(1)));
      await applied(
        store,
        { op: 'update', table: 'legs', key: legKey(1), version: 1, set: { state: 'bound', key: '5', amount: 7n } },
        { op: 'update', table: 'keys', key: { id: '902:1' }, version: 1, set: { closing: true } },
      );
      await applied(store, { op: 'update', table: 'legs', key: legKey(1), version: 2, set: { key: null } });
      const [leg] = await store.legs([rows.legRow(1).id]);
      assert.deepEqual(leg, rows.legRow(1, { version: 3, state: 'bound', key: null, amount: 7n }));
      assert.equal((await store.openKeys(902, 'filler', 1))[0]?.key.closing, true);
    },
  },
  {
    name: 'counts the version even when nothing is set',
    async run({ store }) {
      await applied(store, insert('lanes', rows.laneRow(1)));
      await applied(store, { op: 'update', table: 'lanes', key: { id: rows.laneRow(1).id }, version: 1, set: {} });
      assert.equal((await store.lane(902, 'filler1'))?.version, 2);
    },
  },
  {
    name: 'refuses an update or requirement of another version or of no row',
    async run({ store }) {
      await applied(store, insert('legs', rows.legRow(1)));
      for (const [n, version] of [
        [1, 2],
        [1, 0],
        [2, 1],
      ] as const) {
        await refused(store, 'version', 'legs', {
          op: 'update',
          table: 'legs',
          key: legKey(n),
          version,
          set: { state: 'void' },
        });
        await refused(store, 'version', 'legs', { op: 'require', table: 'legs', key: legKey(n), version });
      }
      await applied(store, { op: 'require', table: 'legs', key: legKey(1), version: 1 });
      assert.deepEqual(await store.legs([rows.legRow(1).id]), [rows.legRow(1)]);
    },
  },
  {
    name: 'applies the changes of one set in order',
    async run({ store }) {
      const key = legKey(1);
      await applied(
        store,
        insert('legs', rows.legRow(1)),
        { op: 'require', table: 'legs', key, version: 1 },
        { op: 'update', table: 'legs', key, version: 1, set: { state: 'bound', key: '1' } },
        { op: 'update', table: 'legs', key, version: 2, set: { state: 'done' } },
        { op: 'require', table: 'legs', key, version: 3 },
      );
      await applied(
        store,
        { op: 'update', table: 'legs', key, version: 3, set: { state: 'held', amount: 1n } },
        { op: 'update', table: 'legs', key, version: 4, set: { reason: 'why', amount: 2n } },
      );
      const changed = { version: 5, state: 'held', key: '1', reason: 'why', amount: 2n } as const;
      assert.deepEqual(await store.legs([rows.legRow(1).id]), [rows.legRow(1, changed)]);
      const stale: Change = { op: 'update', table: 'legs', key, version: 5, set: { state: 'void' } };
      await refused(store, 'version', 'legs', stale, stale);
      await refused(store, 'duplicate', 'legs', insert('legs', rows.legRow(2)), insert('legs', rows.legRow(2)));
    },
  },
  {
    name: 'writes nothing of a set whose last change is refused',
    async run({ store }) {
      await applied(store, insert('legs', rows.legRow(1)), rows.move('g0', 'a', 'b', 5n));
      const good: Change[] = [
        ...oneOfEach(2),
        { op: 'update', table: 'legs', key: legKey(1), version: 1, set: { state: 'void' } },
        rows.move('g1', 'a', 'b', 10n),
        { op: 'count', account: '#c', by: 3n },
      ];
      const bad: [Change, 'duplicate' | 'version' | 'bound', string][] = [
        [insert('legs', rows.legRow(2)), 'duplicate', 'legs'],
        [{ op: 'update', table: 'legs', key: legKey(9), version: 1, set: {} }, 'version', 'legs'],
        [{ op: 'require', table: 'legs', key: legKey(1), version: 1 }, 'version', 'legs'],
        [rows.move('g0', 'a', 'b', 1n), 'duplicate', 'postings'],
        [{ op: 'count', account: '#c', by: 0n, atMost: 2n }, 'bound', 'pots'],
      ];
      for (const [change, kind, table] of bad) await refused(store, kind, table, ...good, change);
      assert.deepEqual(await store.legs([rows.legRow(1).id, rows.legRow(2).id]), [rows.legRow(1)]);
      assert.equal(await store.quote(rows.requestId(2)), undefined);
      assert.equal(await store.meta('anchor:2'), undefined);
      assert.deepEqual(await store.events(0, 5), []);
      assert.deepEqual(await store.pots(''), [
        { account: 'a', amount: -5n },
        { account: 'b', amount: 5n },
      ]);
      await applied(store, ...good);
    },
  },
  {
    name: 'rejects a row it could not keep exactly, alone',
    async run({ store }) {
      const fraction = insert('legs', rows.legRow(1, { dueAt: 1.5 }));
      const { body: _, ...incomplete } = rows.quoteRow(1);
      const missing = insert('quotes', incomplete as never);
      const outcomes = await Promise.allSettled([
        store.apply(changeSet(insert('legs', rows.legRow(2)))),
        store.apply(changeSet(insert('meta', rows.metaRow(1)), fraction)),
        store.apply(changeSet(missing)),
        store.apply(changeSet(insert('legs', rows.legRow(3, { recipient: null as never })))),
        store.apply(changeSet(insert('legs', rows.legRow(4)))),
      ]);
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.ok : 'rejected')),
        [true, 'rejected', 'rejected', 'rejected', true],
      );
      assert.equal(await store.meta('anchor:1'), undefined);
      assert.equal((await store.legs([2, 3, 4].map((n) => rows.legRow(n).id))).length, 2);
    },
  },
  {
    name: 'refuses an update that takes the unique key of another row, and lets a row keep its own',
    async run({ store }) {
      const take = (n: number, hash: string): Change => ({
        op: 'update',
        table: 'apiKeys',
        key: { id: rows.apiKeyRow(n).id },
        version: 1,
        set: { hash },
      });
      await applied(store, insert('apiKeys', rows.apiKeyRow(1)), insert('apiKeys', rows.apiKeyRow(2)));
      const outcome = await store.apply(changeSet(insert('meta', rows.metaRow(1)), take(2, 'hash-1')));
      assert.equal(outcome.ok ? 'taken' : outcome.conflict.kind, 'duplicate');
      assert.equal(await store.meta(rows.metaRow(1).key), undefined);
      assert.deepEqual(await store.apiKeys(), [rows.apiKeyRow(1), rows.apiKeyRow(2)]);
      await applied(store, take(1, 'hash-1'), take(2, 'hash-3'));
      assert.equal((await store.apiKeyByHash('hash-3'))?.id, rows.apiKeyRow(2).id);
      assert.equal(await store.apiKeyByHash('hash-2'), undefined);
      await applied(store, insert('apiKeys', rows.apiKeyRow(4, { hash: 'hash-2' })));
    },
  },
  {
    name: 'lets any number of integrators have no funding address, and one of them have one',
    async run({ store }) {
      const link = (n: number, version: number, fundingAddress: string | null): Change => ({
        op: 'update',
        table: 'integrators',
        key: { id: rows.integratorRow(n).id },
        version,
        set: { fundingAddress },
      });
      await applied(store, ...[1, 2, 3].map((n) => insert('integrators', rows.integratorRow(n))));
      await applied(store, link(1, 1, null));
      await applied(store, link(1, 2, '0xa'));
      const outcome = await store.apply(changeSet(link(2, 1, '0xa')));
      assert.equal(outcome.ok ? 'taken' : outcome.conflict.kind, 'duplicate');
      const fourth = insert('integrators', rows.integratorRow(4, { fundingAddress: '0xa' }));
      await refused(store, 'duplicate', 'integrators', fourth);
      await applied(store, link(1, 3, null), link(3, 1, null));
      await applied(store, link(2, 1, '0xa'));
      assert.deepEqual(
        (await store.integrators()).map((row) => row.fundingAddress),
        [null, '0xa', null],
      );
    },
  },
  {
    name: 'rejects an attempt of a key, and a link to a leg, that are not there',
    async run({ store }) {
      await assert.rejects(
        store.apply(changeSet(insert('meta', rows.metaRow(1)), insert('attempts', rows.attemptRow(1)))),
      );
      await applied(store, insert('keys', rows.keyRow(1)), insert('attempts', rows.attemptRow(1)));
      await assert.rejects(store.apply(changeSet(insert('attemptLegs', rows.attemptLegRow(1)))));
      assert.equal(await store.meta(rows.metaRow(1).key), undefined);
      await applied(store, insert('legs', rows.legRow(1)), insert('attemptLegs', rows.attemptLegRow(1)));
    },
  },
  {
    name: 'takes an empty set',
    async run({ store }) {
      await applied(store);
      await applied(store, { op: 'post', lines: [] });
    },
  },
];
