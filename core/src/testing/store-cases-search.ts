import assert from 'node:assert/strict';
import type { Keyset, RequestFilter, RequestSearch, SearchCondition, SearchField } from '../contract/search.js';
import type { Change, Store } from '../contract/store.js';
import { featureBits } from '../domain/features.js';
import { applied, range } from './store-asserts.js';
import type { StoreCase } from './store-case.js';
import * as rows from './store-fixtures.js';

const { insert, T0 } = rows;

const is = (field: SearchField, ...values: (string | number)[]): SearchCondition => ({ kind: 'is', field, values });
const isNot = (field: SearchField, ...values: (string | number)[]): SearchCondition => ({
  kind: 'is',
  field,
  values,
  not: true,
});
const missing = (field: SearchField): SearchCondition => ({ kind: 'is', field, values: [], orMissing: true });
const present = (field: SearchField): SearchCondition => ({
  kind: 'is',
  field,
  values: [],
  orMissing: true,
  not: true,
});

function search(filter: Partial<RequestFilter>, rest: Partial<RequestSearch> = {}): RequestSearch {
  return {
    filter: { all: [], hiddenChains: [], ...filter },
    sortBy: 'createdAt',
    direction: 'desc',
    limit: 50,
    total: true,
    ...rest,
  };
}

const numberOf = (id: string) => Number.parseInt(id.slice(-8), 16);

/** Numbers of the found requests in order; also checks the total. */
async function foundBy(store: Store, asked: RequestSearch): Promise<number[]> {
  const page = await store.search(asked);
  assert.equal(page.total, page.rows.length, 'total');
  assert.equal(page.next, undefined);
  return page.rows.map((view) => numberOf(view.request.id));
}

const familyOf = (id: string) => ({ kind: 'family', ids: [id], parents: [id] }) as const;

const found = (store: Store, ...all: SearchCondition[]) => foundBy(store, search({ all }));

/** Six requests that differ in every searchable field. */
const SAMPLE: readonly Change[] = [
  insert('requests', rows.requestRow(1, { user: '0xann', status: 'success', originSymbol: 'USDC', amountUsd: 5 })),
  insert('requests', rows.requestRow(2, { user: '0xbob', sender: '0xann', status: 'pending', fillTimeMs: 900 })),
  insert(
    'requests',
    rows.requestRow(3, { user: '0xann', sender: '0xann', originChainId: 902, status: 'failure', keyId: 'key-1' }),
  ),
  insert(
    'requests',
    rows.requestRow(4, {
      recipient: '0xrec',
      originChainId: 903,
      destinationChainId: 901,
      failReason: 'SLIPPAGE',
      features: featureBits(['app_fees', 'fast_fill']),
      appFeesUsd: 7,
    }),
  ),
  insert(
    'requests',
    rows.requestRow(5, {
      orderId: rows.orderId(1),
      parentRequestId: rows.requestId(1),
      status: 'refund',
      depositAddress: '0xdeposit',
      depositor: '0xann',
      features: featureBits(['deposit_address']),
    }),
  ),
  insert(
    'requests',
    rows.requestRow(6, { destinationChainId: 901, status: 'success', amountUsd: 2, referrer: 'shop' }),
  ),
  insert('transactions', rows.transactionRow(1, { hash: '0xin', block: 10 })),
  insert('transactions', rows.transactionRow(2, { hash: '0xout', role: 'fill', chainId: 902, block: 20 })),
  insert('transactions', rows.transactionRow(3, { id: 'a', hash: '0xin', role: 'refund', chainId: 902, block: 30 })),
  insert('transactions', rows.transactionRow(3, { id: 'b', hash: '0xin', role: 'failed', block: null })),
];

async function pages(store: Store, first: RequestSearch, between?: () => Promise<void>): Promise<string[]> {
  const seen: string[] = [];
  for (let after: Keyset | undefined; ; ) {
    const page = await store.search({ ...first, ...(after ? { after } : {}) });
    seen.push(...page.rows.map((view) => view.request.id));
    if (!page.next) return seen;
    assert.equal(page.rows.length, first.limit, 'a page that is not the last is full');
    after = page.next;
    await between?.();
  }
}

export const searchCases: readonly StoreCase[] = [
  {
    name: 'searches by each field alone',
    async run({ store }) {
      await applied(store, ...SAMPLE);
      assert.deepEqual(await found(store), [6, 5, 4, 3, 2, 1]);
      assert.deepEqual(await foundBy(store, search({}, { direction: 'asc' })), [1, 2, 3, 4, 5, 6]);
      assert.deepEqual(await found(store, is('id', rows.requestId(1), rows.requestId(4))), [4, 1]);
      assert.deepEqual(await found(store, familyOf(rows.requestId(1))), [5, 1]);
      assert.deepEqual(await found(store, is('orderId', rows.orderId(1))), [5, 1]);
      assert.deepEqual(await found(store, is('user', '0xann')), [5, 3, 2, 1]);
      assert.deepEqual(await found(store, is('recipient', '0xrec')), [4]);
      assert.deepEqual(await found(store, is('depositAddress', '0xdeposit')), [5]);
      assert.deepEqual(await found(store, is('status', 'success')), [6, 1]);
      assert.deepEqual(await found(store, is('status', 'failure', 'pending', 'pending')), [4, 3, 2]);
      assert.deepEqual(await found(store, is('failReason', 'SLIPPAGE')), [4]);
      assert.deepEqual(await found(store, is('keyId', 'key-1', 'key-2')), [3]);
      assert.deepEqual(await found(store, is('referrer', 'shop')), [6]);
      assert.deepEqual(await found(store, is('originChainId', 901)), [6, 5, 2, 1]);
      assert.deepEqual(await found(store, is('destinationChainId', 901)), [6, 4]);
      assert.deepEqual(await found(store, is('chainId', 901)), [6, 5, 4, 2, 1]);
      assert.deepEqual(await found(store, is('originSymbol', 'usdc')), [1]);
      assert.deepEqual(await found(store, is('feature', 'fast_fill', 'deposit_address')), [5, 4]);
      assert.deepEqual(await found(store, is('user', '0xnobody')), []);
      assert.deepEqual(await found(store, is('user')), []);
    },
  },
  {
    name: 'searches by bounds',
    async run({ store }) {
      await applied(store, ...SAMPLE);
      assert.deepEqual(await found(store, { kind: 'range', field: 'createdAt', from: T0 + 2, to: T0 + 4 }), [4, 3, 2]);
      assert.deepEqual(await found(store, { kind: 'range', field: 'amountUsd', from: 2, to: 4 }), [6]);
      assert.deepEqual(await found(store, { kind: 'range', field: 'amountUsd', from: 3 }), [1]);
      assert.deepEqual(await found(store, { kind: 'range', field: 'appFeesUsd', from: 1 }), [4]);
      assert.deepEqual(await found(store, { kind: 'range', field: 'fillTimeMs', to: 900 }), [2]);
      const blocks = (from: number, to: number, originOnly = false) =>
        found(store, { kind: 'blocks', from, to, originOnly });
      assert.deepEqual(await blocks(10, 30), [3, 2, 1]);
      assert.deepEqual(await blocks(11, 20), [2]);
      assert.deepEqual(await blocks(10, 30, true), [3, 1]);
      assert.deepEqual(
        await found(store, is('originChainId', 902), { kind: 'blocks', from: 1, originOnly: true }),
        [3],
      );
    },
  },
  {
    name: 'searches by transaction hash and role, and by one term in all places',
    async run({ store }) {
      await applied(store, ...SAMPLE);
      assert.deepEqual(await found(store, is('depositHash', '0xin')), [1]);
      assert.deepEqual(await found(store, is('refundHash', '0xin')), [3]);
      assert.deepEqual(await found(store, is('fillHash', '0xin')), []);
      assert.deepEqual(await found(store, is('fillHash', '0xout', '0xin')), [2]);
      assert.deepEqual(await found(store, is('term', '0xin')), [3, 1]);
      assert.deepEqual(await found(store, is('term', '0xout')), [2]);
      assert.deepEqual(await found(store, is('term', '0xann')), [5, 3, 2, 1]);
      assert.deepEqual(await found(store, is('term', '0xdeposit')), [5]);
      assert.deepEqual(await found(store, is('term', '0xrec')), [4]);
      assert.deepEqual(await found(store, is('term', rows.requestId(6))), [6]);
      assert.deepEqual(await found(store, is('term', rows.orderId(1))), [5, 1]);
      assert.deepEqual(await found(store, is('term', rows.requestId(1))), [5, 1], 'a request and its children');
    },
  },
  {
    name: 'negates fields and asks whether they are missing',
    async run({ store }) {
      await applied(store, ...SAMPLE);
      assert.deepEqual(await found(store, isNot('status', 'success', 'pending')), [5, 3]);
      assert.deepEqual(await found(store, isNot('failReason', 'SLIPPAGE')), [6, 5, 3, 2, 1]);
      assert.deepEqual(await found(store, isNot('user', '0xann')), [6, 4]);
      assert.deepEqual(await found(store, isNot('chainId', 901)), [3]);
      assert.deepEqual(await found(store, isNot('depositHash', '0xin')), [6, 5, 4, 3, 2]);
      assert.deepEqual(await found(store, missing('keyId')), [6, 5, 4, 2, 1]);
      assert.deepEqual(await found(store, present('keyId')), [3]);
      assert.deepEqual(await found(store, missing('user')), [6, 4, 1]);
      assert.deepEqual(await found(store, present('user')), [5, 3, 2]);
      assert.deepEqual(await found(store, missing('fillHash')), [6, 5, 4, 3, 1]);
      assert.deepEqual(await found(store, missing('feature')), [6, 3, 2, 1]);
      assert.deepEqual(await found(store, missing('originChainId')), []);
      assert.deepEqual(await found(store, present('originSymbol')), [6, 5, 4, 3, 2, 1]);
      const none = { kind: 'is', field: 'failReason', values: ['SLIPPAGE'], orMissing: true } as const;
      assert.deepEqual(await found(store, none, is('status', 'pending')), [4, 2]);
    },
  },
  {
    name: 'joins fields of a filter by and, groups by or',
    async run({ store }) {
      await applied(store, ...SAMPLE);
      assert.deepEqual(await found(store, is('user', '0xann'), is('status', 'success', 'failure')), [3, 1]);
      assert.deepEqual(await found(store, is('user', '0xann'), is('chainId', 901)), [5, 2, 1]);
      assert.deepEqual(await found(store, is('chainId', 901), is('status', 'success')), [6, 1]);
      assert.deepEqual(await found(store, is('status', 'pending'), is('destinationChainId', 901)), [4]);
      assert.deepEqual(await found(store, is('term', '0xin'), is('user', '0xann'), is('originChainId', 902)), [3]);
      assert.deepEqual(await found(store, is('status', 'pending'), isNot('failReason', 'SLIPPAGE')), [2]);
      const family = familyOf(rows.requestId(1));
      assert.deepEqual(await found(store, family, is('status', 'refund')), [5]);
      const groups = (all: SearchCondition[], ...anyOf: SearchCondition[][]) => foundBy(store, search({ all, anyOf }));
      assert.deepEqual(await groups([], [is('user', '0xann'), is('status', 'success')], [is('chainId', 903)]), [4, 1]);
      assert.deepEqual(
        await groups([is('originChainId', 901)], [is('user', '0xann')], [is('status', 'success')]),
        [6, 5, 2, 1],
      );
      assert.deepEqual(await groups([is('status', 'success')], [], [is('chainId', 903)]), [6, 1]);
      assert.deepEqual(await groups([]), [6, 5, 4, 3, 2, 1]);
    },
  },
  {
    name: 'answers the largest filters, or says that they are too large',
    async run({ store }) {
      await applied(store, ...SAMPLE);
      const some = (from: number) => Array.from({ length: 50 }, (_, n) => rows.requestId(1 + from * 50 + n));
      const groups = (count: number, one: (ids: readonly string[]) => SearchCondition) =>
        foundBy(store, search({ anyOf: Array.from({ length: count }, (_, n) => [one(some(n))]) }));
      assert.deepEqual(await groups(20, (ids) => is('id', ...ids)), [6, 5, 4, 3, 2, 1]);
      assert.deepEqual(await groups(10, (ids) => ({ kind: 'family', ids, parents: ids })), [6, 5, 4, 3, 2, 1]);
      for (const field of ['user', 'term', 'fillHash', 'originCurrency'] as const) {
        const refused = await groups(20, (ids) => is(field, ...ids)).catch((error: unknown) => error);
        if (refused instanceof Error) assert.equal(refused.name, 'SearchTimeoutError', refused.message);
      }
    },
  },
  {
    name: 'follows what changes of a request',
    async run({ store }) {
      await applied(store, ...SAMPLE);
      await applied(store, {
        op: 'update',
        table: 'requests',
        key: { id: rows.requestId(2) },
        version: 1,
        set: { status: 'success', fillTimeMs: 5, updatedAt: T0 + 50, sender: '0xcat' },
      });
      assert.deepEqual(await found(store, is('status', 'success')), [6, 2, 1]);
      assert.deepEqual(await found(store, is('user', '0xcat')), [2]);
      assert.deepEqual(await found(store, { kind: 'range', field: 'fillTimeMs', to: 6 }), [2]);
      assert.deepEqual(await foundBy(store, search({}, { sortBy: 'updatedAt' })), [2, 6, 5, 4, 3, 1]);
      await applied(store, {
        op: 'update',
        table: 'requests',
        key: { id: rows.requestId(4) },
        version: 1,
        set: { failReason: null, refundFailReason: 'MANUAL_REFUND_REQUIRED', features: 0 },
      });
      assert.deepEqual(await found(store, present('failReason')), []);
      assert.deepEqual(await found(store, is('refundFailReason', 'MANUAL_REFUND_REQUIRED')), [4]);
      assert.deepEqual(await found(store, is('feature', 'app_fees')), []);
    },
  },
  {
    name: 'pages through equal times without gap or repetition, both ways',
    async run({ store }) {
      await applied(
        store,
        ...range(37).map((n) =>
          insert(
            'requests',
            rows.requestRow(n, {
              createdAt: T0 + Math.floor(n / 10),
              updatedAt: T0 + Math.floor(n / 5),
              amountUsd: n % 3 === 0 ? null : n % 5,
              user: '0xann',
              sender: '0xann',
            }),
          ),
        ),
      );
      for (const all of [[], [is('chainId', 901)], [is('user', '0xann')], [is('status', 'pending', 'success')]]) {
        for (const sortBy of ['createdAt', 'updatedAt', 'amountUsd'] as const) {
          const asked = { sortBy, limit: 100 };
          const whole = await pages(store, search({ all }, asked));
          assert.equal(whole.length, 37);
          for (const limit of sortBy === 'createdAt' ? [1, 5, 37] : [9])
            assert.deepEqual(await pages(store, search({ all }, { ...asked, limit })), whole);
          const upwards = await pages(store, search({ all }, { sortBy, limit: 9, direction: 'asc' }));
          if (sortBy !== 'amountUsd') assert.deepEqual(upwards, [...whole].reverse());
          else assert.deepEqual(new Set(upwards), new Set(whole));
        }
      }
    },
  },
  {
    name: 'sorts by amount with what has none last, whatever the direction',
    async run({ store }) {
      const amounts = [5, null, 3, 3, null, 9];
      await applied(store, ...amounts.map((amountUsd, n) => insert('requests', rows.requestRow(n, { amountUsd }))));
      const sorted = (direction: 'asc' | 'desc') => foundBy(store, search({}, { sortBy: 'amountUsd', direction }));
      assert.deepEqual(await sorted('asc'), [2, 3, 0, 5, 1, 4]);
      assert.deepEqual(await sorted('desc'), [5, 0, 3, 2, 4, 1]);
    },
  },
  {
    name: 'keeps pages stable while requests arrive',
    async run({ store }) {
      await applied(store, ...range(20).map((n) => insert('requests', rows.requestRow(n))));
      const before = await pages(store, search({}, { limit: 100 }));
      let next = 100;
      const arrive = async () => {
        next += 1;
        await applied(store, insert('requests', rows.requestRow(next)));
      };
      assert.deepEqual(await pages(store, search({}, { limit: 3 }), arrive), before);
      assert.equal((await store.search(search({}, { limit: 3 }))).total, next - 100 + 20);
    },
  },
  {
    name: 'misses no request that changes while it walks upwards by time of change, and meets no new one',
    async run({ store }) {
      await applied(store, ...range(12).map((n) => insert('requests', rows.requestRow(n))));
      const before = await pages(store, search({}, { limit: 100 }));
      let n = 0;
      const happen = async () => {
        n += 1;
        if (n > 3) return;
        await applied(
          store,
          insert('requests', rows.requestRow(100 + n)),
          {
            op: 'update',
            table: 'requests',
            key: { id: rows.requestId(12 - n) },
            version: 1,
            set: { updatedAt: T0 + 1_000 + n },
          },
          {
            op: 'update',
            table: 'requests',
            key: { id: rows.requestId(n) },
            version: 1,
            set: { updatedAt: T0 + 2_000 + n },
          },
        );
      };
      const asked = search({}, { sortBy: 'updatedAt', direction: 'asc', limit: 3, asOf: T0 + 20 });
      const seen = await pages(store, asked, happen);
      assert.deepEqual(new Set(seen), new Set(before));
      assert.ok(seen.length > before.length, 'what changed after it was met is met again');
    },
  },
  {
    name: 'counts exactly, independent of the page, and only when asked',
    async run({ store }) {
      await applied(store, ...range(9).map((n) => insert('requests', rows.requestRow(n, { destinationChainId: 901 }))));
      const all = [is('chainId', 901)];
      const page = await store.search(search({ all }, { limit: 2 }));
      assert.equal(page.total, 9);
      assert.ok(page.next);
      assert.equal((await store.search(search({ all }, { limit: 2, after: page.next }))).total, 9);
      assert.equal((await store.search(search({}, { total: false }))).total, undefined);
      const anyOf = [all, [is('originChainId', 901), is('status', 'pending')], [isNot('status', 'success')]];
      assert.equal((await store.search(search({ anyOf }, { limit: 2 }))).total, 9);
    },
  },
];
