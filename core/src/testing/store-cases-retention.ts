import assert from 'node:assert/strict';
import type { Hex } from '../contract/ids.js';
import type { Tables } from '../contract/store-rows.js';
import { counter } from '../domain/accounts.js';
import { applied, during, ids, range, refused } from './store-asserts.js';
import { rivals, type StoreCase } from './store-case.js';
import * as rows from './store-fixtures.js';

const { insert, T0 } = rows;
const DAY = 24 * 3_600_000;
const NOW = T0 + 100 * DAY;
/** The last moment of a quote's life, and the first one past it. */
const LAST_MOMENT = NOW - 30 * DAY;
const PAST = LAST_MOMENT - 1;

function unpaid(n: number, overrides: Partial<Tables['quotes']> = {}): Tables['quotes'] {
  const body = JSON.stringify({ refundRecipient: `refunds-of-${n}` });
  return rows.quoteRow(n, { deadlineAt: PAST, body, keyId: `key-${n}`, ...overrides });
}

export const retentionCases: readonly StoreCase[] = [
  {
    name: 'prunes old hints and unpaid quotes, and nothing else',
    async run({ store }) {
      await applied(
        store,
        insert('hints', rows.hintRow(1, { createdAt: NOW - 3_600_001 })),
        insert('hints', rows.hintRow(2, { createdAt: NOW - 3_600_000 })),
        ...range(1_200).map((n) => insert('quotes', unpaid(n))),
        insert('quotes', unpaid(2_000, { deadlineAt: LAST_MOMENT })),
        insert('requests', rows.requestRow(7)),
        // A deposit address may be paid for ever.
        insert('addresses', rows.addressRow(8)),
      );
      assert.equal(await store.prune(NOW), 1_199);
      const left = await store.quotesByOrder(range(2_000).map(rows.orderId));
      assert.deepEqual(ids(left).sort(), [7, 8, 2_000].map(rows.requestId));
      assert.ok(await store.request(rows.requestId(7)));
      assert.equal(await store.prune(NOW), 0);
      const tombs = await store.tombstonesByOrder(range(2_000).map(rows.orderId));
      assert.equal(tombs.length, 1_198);
      await applied(store, insert('hints', rows.hintRow(1)));
    },
  },
  {
    name: 'forgets what was sponsored for users on days long past, and no other counter',
    async run({ store }) {
      const day = (at: number) => new Date(at).toISOString().slice(0, 10);
      const [past, kept] = [day(NOW - 61 * DAY), day(NOW - 60 * DAY)];
      const old = range(600).map((n) => counter.sponsoredUser('key', past, `user-${n}`));
      const others = [
        ...[counter.sponsoredUser('key', kept, 'user'), counter.sponsoredUser('key', day(NOW), 'user')],
        ...[counter.sponsored('key', past), counter.sponsored('key', past.slice(0, 7)), counter.available('int')],
      ];
      await applied(store, ...[...old, ...others].map((account) => ({ op: 'count', account, by: 5n }) as const));
      assert.equal(await store.prune(NOW), 600);
      for (const account of others) assert.equal(await store.pot(account), 5n, account);
      assert.equal(await store.pot(old[0] ?? ''), 0n);
      assert.equal(await store.prune(NOW), 0);
    },
  },
  {
    name: 'keeps what an idempotency key was answered for a day, once, and over a restart',
    async run({ store, reopen }) {
      const row = (n: number, createdAt: number) => rows.idempotencyKeyRow(n, { createdAt });
      const kept = row(1, NOW - DAY);
      await applied(
        store,
        insert('idempotencyKeys', kept),
        ...range(600, 2).map((n) => insert('idempotencyKeys', row(n, NOW - DAY - 1))),
      );
      await refused(store, 'duplicate', 'idempotencyKeys', insert('idempotencyKeys', row(1, NOW)));
      assert.deepEqual(await store.idempotencyKey(kept.id), kept);
      assert.equal(await store.prune(NOW), 600);
      assert.equal(await store.prune(NOW), 0);
      const again = await reopen();
      assert.deepEqual(await again.idempotencyKey(kept.id), kept);
      assert.equal(await again.idempotencyKey(row(2, NOW).id), undefined);
    },
  },
  {
    name: 'prunes what was earmarked a day after its quote was over, and never while it stands',
    async run({ store }) {
      const expiresAt = NOW - DAY - 1;
      const row = (n: number, more: Partial<Tables['earmarks']>) => insert('earmarks', rows.earmarkRow(n, more));
      await applied(
        store,
        row(1, { expiresAt, state: 'claimed' }),
        row(2, { expiresAt, state: 'expired' }),
        row(3, { expiresAt: NOW - DAY, state: 'expired' }),
        row(4, { expiresAt }),
      );
      assert.equal(await store.prune(NOW), 2);
      const left = await store.earmarks([1, 2, 3, 4].map(rows.requestId));
      assert.deepEqual(ids(left).sort(), [3, 4].map(rows.requestId));
    },
  },
  {
    name: 'prunes deliveries that were over long ago, and nothing that is still to be delivered',
    async run({ store }) {
      const updatedAt = PAST;
      const row = (n: number, more: Partial<Tables['deliveries']>) =>
        insert('deliveries', rows.deliveryRow(n, { updatedAt, ...more }));
      await applied(
        store,
        ...range(600).map((n) => row(n, { state: n % 2 === 0 ? 'delivered' : 'failed' })),
        row(601, { state: 'due' }),
        row(602, { state: 'behind' }),
        row(603, { state: 'again' }),
        row(604, { state: 'delivered', updatedAt: LAST_MOMENT }),
        row(605, { state: 'failed', updatedAt: NOW - DAY }),
      );
      assert.equal(await store.prune(NOW), 600);
      const kept = async () => ids(await store.deliveries(range(605).map((n) => rows.deliveryRow(n).id))).length;
      assert.equal(await kept(), 5);
      assert.equal(await store.prune(NOW, undefined, 2 * DAY), 1);
      assert.equal(await store.prune(NOW, undefined, 0), 1);
      assert.equal(await kept(), 3);
    },
  },
  {
    name: 'prunes endpoints that were removed long ago, once no delivery names them',
    async run({ store }) {
      const row = (n: number, more: Partial<Tables['endpoints']>) =>
        insert('endpoints', rows.endpointRow(n, { updatedAt: PAST, ...more }));
      await applied(
        store,
        row(1, { state: 'removed' }),
        row(2, { state: 'removed' }),
        row(3, { state: 'removed', updatedAt: LAST_MOMENT }),
        row(4, { state: 'disabled' }),
        row(5, {}),
        insert('deliveries', rows.deliveryRow(1, { updatedAt: LAST_MOMENT, state: 'failed' })),
      );
      assert.equal(await store.prune(NOW), 1);
      assert.deepEqual(
        ids(await store.endpoints()),
        [1, 3, 4, 5].map((n) => rows.endpointRow(n).id),
      );
    },
  },
  {
    name: 'shrinks what callers without a key left unpaid as soon as it is asked to, and nothing that is still to be filled',
    async run({ store }) {
      const HOUR = 3_600_000;
      const anonymous = (n: number, deadlineAt: number) => insert('quotes', unpaid(n, { deadlineAt, keyId: null }));
      await applied(
        store,
        anonymous(1, NOW - 6 * HOUR - 1),
        anonymous(2, NOW - 6 * HOUR),
        anonymous(3, NOW - 6 * HOUR - 1),
        insert('requests', rows.requestRow(3)),
        insert('quotes', unpaid(4, { deadlineAt: LAST_MOMENT })),
        insert('quotes', unpaid(5)),
        anonymous(6, NOW),
        ...[1, 2].map((n) => insert('clientMetadata', rows.clientMetadataRow(n))),
      );
      const orders = range(6).map(rows.orderId);
      const kept = async () => ids(await store.quotesByOrder(orders)).sort();
      const buried = async () => (await store.tombstonesByOrder(orders)).map((row) => row.requestId).sort();
      assert.equal(await store.prune(NOW, 6 * HOUR), 2);
      assert.deepEqual(await kept(), [2, 3, 4, 6].map(rows.requestId));
      assert.deepEqual(await buried(), [1, 5].map(rows.requestId));
      const [tombstone] = await store.tombstonesByOrder([rows.orderId(1)]);
      assert.deepEqual([tombstone?.refundTo, tombstone?.keyId], ['refunds-of-1', null]);
      const said = await store.clientMetadata([1, 2].map(rows.requestId));
      assert.deepEqual(
        said.map((row) => row.requestId),
        [rows.requestId(2)],
      );
      assert.equal(await store.prune(NOW, 0), 1);
      assert.equal(await store.prune(NOW, -DAY), 0);
      assert.deepEqual(await kept(), [3, 4, 6].map(rows.requestId), 'an order that may still be filled is gone');
    },
  },
  {
    name: 'counts what callers without a key left unpaid, up to a limit, and what was shrunk no more',
    async run({ store }) {
      await applied(
        store,
        ...range(20).map((n) => insert('quotes', unpaid(n, { keyId: null, deadlineAt: n <= 8 ? PAST : NOW }))),
        ...range(5, 21).map((n) => insert('quotes', unpaid(n, { deadlineAt: NOW }))),
      );
      assert.deepEqual(
        [await store.unpaidQuotes(100), await store.unpaidQuotes(20), await store.unpaidQuotes(7)],
        [20, 20, 7],
      );
      assert.equal(await store.prune(NOW), 8);
      assert.equal(await store.unpaidQuotes(100), 12);
    },
  },
  {
    name: 'forgets what a client said of a quote together with the quote, and of no other',
    async run({ store }) {
      await applied(
        store,
        insert('quotes', unpaid(1)),
        insert('quotes', unpaid(2, { deadlineAt: LAST_MOMENT })),
        insert('quotes', unpaid(3)),
        insert('requests', rows.requestRow(3)),
        ...[1, 2, 3].map((n) => insert('clientMetadata', rows.clientMetadataRow(n))),
      );
      assert.equal(await store.prune(NOW), 1);
      const left = await store.clientMetadata([1, 2, 3].map(rows.requestId));
      assert.deepEqual(left.map((row) => row.requestId).sort(), [2, 3].map(rows.requestId));
    },
  },
  {
    name: 'keeps a tombstone of each pruned quote, for ever and over a restart',
    async run({ store, reopen }) {
      await applied(
        store,
        insert('quotes', unpaid(1)),
        insert('quotes', unpaid(2, { deadlineAt: LAST_MOMENT, keyId: null })),
      );
      const all = [1, 2, 3].map(rows.orderId);
      assert.deepEqual(await store.tombstonesByOrder(all), []);
      await store.prune(NOW);
      const tombstone = (n: number, over: Partial<Tables['tombstones']>): Tables['tombstones'] => ({
        orderId: rows.orderId(n),
        requestId: rows.requestId(n),
        refundTo: `refunds-of-${n}`,
        originChainId: rows.quoteRow(n).originChainId,
        keyId: `key-${n}`,
        deadlineAt: PAST,
        createdAt: rows.quoteRow(n).createdAt,
        ...over,
      });
      assert.deepEqual(await store.tombstonesByOrder([...all, ...all]), [tombstone(1, {})]);
      assert.deepEqual(
        [await store.quote(rows.requestId(1)), await store.quotesByOrder([all[0] ?? '0x'])],
        [undefined, []],
      );
      const again = await reopen();
      assert.equal(await again.prune(NOW + 1_000 * DAY), 1);
      const found = await again.tombstonesByOrder(all);
      assert.deepEqual(
        [...found].sort((a, b) => (a.orderId < b.orderId ? -1 : 1)),
        [tombstone(1, {}), tombstone(2, { deadlineAt: LAST_MOMENT, keyId: null })],
      );
    },
  },
  {
    name: 'finds orders by the first digits of their ids, as quotes or as tombstones, and requests of others never',
    async run({ store, reopen }) {
      const form = (digits: string): Hex => `0x${digits.repeat(16)}`;
      const order = (digits: string, rest: string): Hex => `${form(digits)}${rest.repeat(16)}`;
      const several = ['00', '77', 'ff'].map((rest) => order('aa', rest));
      const kept = [order('20', '01'), order('1f', 'ff'), order('21', '00'), order('cc', '02'), ...several];
      await applied(
        store,
        ...kept.map((orderId, n) => insert('quotes', unpaid(n + 1, { orderId, deadlineAt: NOW }))),
        ...['bb', 'cc'].map((digits, n) => insert('quotes', unpaid(n + 50, { orderId: order(digits, '01') }))),
        // Payers can begin a request under any id that fits a transfer.
        ...['20', 'dd'].map((digits, n) =>
          insert('requests', rows.requestRow(n + 80, { orderId: order(digits, '02') })),
        ),
      );
      const check = async (from: typeof store): Promise<void> => {
        const reported = async (...prefixes: readonly Hex[]) => [...(await from.ordersByPrefix(prefixes))].sort();
        const asked = ['20', 'dd', 'ee', 'bb', 'cc', '20'].map(form);
        const found = [order('20', '01'), order('bb', '01'), order('cc', '01'), order('cc', '02')];
        assert.deepEqual(await reported(...asked, form('20').slice(0, 33) as Hex), found);
        for (const none of [form('dd'), form('ee'), form('CC')]) assert.deepEqual(await reported(none), []);
        assert.deepEqual(await reported(order('20', '01')), [order('20', '01')], 'a whole id is a prefix of itself');
        const two = await reported(form('aa'));
        assert.equal(two.length, 2, 'two say that there are several');
        for (const one of two) assert.ok(several.includes(one), 'one of those that begin so');
      };
      await check(store);
      assert.equal(await store.prune(NOW), 2);
      await check(await reopen());
    },
  },
  {
    name: 'knows an order at every moment, as a quote or as a tombstone',
    async run(harness) {
      const [store, reader] = await rivals(harness);
      const many = range(700);
      await applied(store, ...many.map((n) => insert('quotes', unpaid(n))));
      const orders = many.map(rows.orderId);
      const pruned = store.prune(NOW);
      await during(pruned, async () => {
        const found = new Set((await reader.quotesByOrder(orders)).map((row) => row.orderId));
        const rest = orders.filter((orderId) => !found.has(orderId));
        assert.equal((await reader.tombstonesByOrder(rest)).length, rest.length, 'an order is unknown');
        const prefixes = orders.map((orderId) => orderId.slice(0, -1) as typeof orderId);
        const named = new Set((await reader.ordersByPrefix(prefixes)).map((orderId) => orderId.slice(0, -1)));
        assert.equal(named.size, new Set(prefixes).size, 'an order is not found by its prefix');
      });
      assert.equal(await pruned, many.length);
    },
  },
];
