import assert from 'node:assert/strict';
import type { Keyset, RequestFilter, RequestSearch } from '../contract/search.js';
import type { Change, Store } from '../contract/store.js';
import { applied, range } from './store-asserts.js';
import type { StoreCase } from './store-case.js';
import * as rows from './store-fixtures.js';

const { insert, T0 } = rows;

function search(filter: Partial<RequestFilter>, rest: Partial<RequestSearch> = {}): RequestSearch {
  return {
    filter: { hiddenChains: [], ...filter },
    sortBy: 'createdAt',
    direction: 'desc',
    limit: 50,
    total: true,
    ...rest,
  };
}

/** Numbers of the requests that a search finds, in its order; also checks the total. */
async function found(
  store: Store,
  filter: Partial<RequestFilter>,
  rest: Partial<RequestSearch> = {},
): Promise<number[]> {
  const page = await store.search(search(filter, rest));
  assert.equal(page.total, page.rows.length, 'total');
  assert.equal(page.next, undefined);
  return page.rows.map((view) => Number.parseInt(view.request.id.slice(-8), 16));
}

/** Six requests that differ in every searchable field. */
const SAMPLE: readonly Change[] = [
  insert('requests', rows.requestRow(1, { user: '0xann', status: 'success' })),
  insert('requests', rows.requestRow(2, { user: '0xbob', sender: '0xann', status: 'pending' })),
  insert('requests', rows.requestRow(3, { user: '0xann', sender: '0xann', originChainId: 902, status: 'failure' })),
  insert('requests', rows.requestRow(4, { recipient: '0xrec', originChainId: 903, destinationChainId: 901 })),
  insert(
    'requests',
    rows.requestRow(5, { orderId: rows.orderId(1), parentRequestId: rows.requestId(1), status: 'refund' }),
  ),
  insert('requests', rows.requestRow(6, { destinationChainId: 901, status: 'success' })),
  insert('transactions', rows.transactionRow(1, { hash: '0xin' })),
  insert('transactions', rows.transactionRow(2, { hash: '0xout', role: 'fill' })),
  insert('transactions', rows.transactionRow(3, { id: 'a', hash: '0xin', role: 'refund' })),
  insert('transactions', rows.transactionRow(3, { id: 'b', hash: '0xin', role: 'failed' })),
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
      assert.deepEqual(await found(store, {}), [6, 5, 4, 3, 2, 1]);
      assert.deepEqual(await found(store, {}, { direction: 'asc' }), [1, 2, 3, 4, 5, 6]);
      assert.deepEqual(await found(store, { id: rows.requestId(1) }), [1]);
      assert.deepEqual(await found(store, { id: rows.requestId(1), includeChildren: true }), [5, 1]);
      assert.deepEqual(await found(store, { orderId: rows.orderId(1) }), [5, 1]);
      assert.deepEqual(await found(store, { user: '0xann' }), [3, 2, 1]);
      assert.deepEqual(await found(store, { recipient: '0xrec' }), [4]);
      assert.deepEqual(await found(store, { statuses: ['success'] }), [6, 1]);
      assert.deepEqual(await found(store, { statuses: ['failure', 'pending', 'pending'] }), [4, 3, 2]);
      assert.deepEqual(await found(store, { originChainId: 901 }), [6, 5, 2, 1]);
      assert.deepEqual(await found(store, { destinationChainId: 901 }), [6, 4]);
      assert.deepEqual(await found(store, { chainId: 901 }), [6, 5, 4, 2, 1]);
      assert.deepEqual(await found(store, { createdFrom: T0 + 2, createdTo: T0 + 4 }), [4, 3, 2]);
      assert.deepEqual(await found(store, { user: '0xnobody' }), []);
    },
  },
  {
    name: 'searches by transaction hash and role',
    async run({ store }) {
      await applied(store, ...SAMPLE);
      const by = (role: 'deposit' | 'fill' | 'refund' | 'any', value: string) =>
        found(store, { hash: { role, value } });
      assert.deepEqual(await by('any', '0xin'), [3, 1]);
      assert.deepEqual(await by('deposit', '0xin'), [1]);
      assert.deepEqual(await by('refund', '0xin'), [3]);
      assert.deepEqual(await by('fill', '0xin'), []);
      assert.deepEqual(await by('fill', '0xout'), [2]);
    },
  },
  {
    name: 'joins fields of a filter by and',
    async run({ store }) {
      await applied(store, ...SAMPLE);
      assert.deepEqual(await found(store, { user: '0xann', statuses: ['success', 'failure'] }), [3, 1]);
      assert.deepEqual(await found(store, { user: '0xann', chainId: 901 }), [2, 1]);
      assert.deepEqual(await found(store, { chainId: 901, statuses: ['success'] }), [6, 1]);
      assert.deepEqual(await found(store, { statuses: ['pending'], destinationChainId: 901 }), [4]);
      assert.deepEqual(await found(store, { originChainId: 901, destinationChainId: 901, createdFrom: T0 + 6 }), [6]);
      assert.deepEqual(
        await found(store, { hash: { role: 'any', value: '0xin' }, user: '0xann', originChainId: 902 }),
        [3],
      );
      assert.deepEqual(await found(store, { id: rows.requestId(1), includeChildren: true, statuses: ['refund'] }), [5]);
      assert.deepEqual(await found(store, { id: rows.requestId(1), user: '0xbob' }), []);
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
            rows.requestRow(n, { createdAt: T0 + Math.floor(n / 10), user: '0xann', sender: '0xann' }),
          ),
        ),
      );
      for (const filter of [{}, { chainId: 901 }, { user: '0xann' }, { statuses: ['pending', 'success'] } as const]) {
        const all = await pages(store, search(filter, { limit: 100 }));
        assert.equal(all.length, 37);
        for (const limit of [1, 5, 37]) assert.deepEqual(await pages(store, search(filter, { limit })), all);
        const upwards = await pages(store, search(filter, { limit: 5, direction: 'asc' }));
        assert.deepEqual(upwards, [...all].reverse());
      }
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
    name: 'counts exactly, independent of the page, and only when asked',
    async run({ store }) {
      await applied(store, ...range(9).map((n) => insert('requests', rows.requestRow(n, { destinationChainId: 901 }))));
      const page = await store.search(search({ chainId: 901 }, { limit: 2 }));
      assert.equal(page.total, 9);
      assert.ok(page.next);
      assert.equal((await store.search(search({ chainId: 901 }, { limit: 2, after: page.next }))).total, 9);
      assert.equal((await store.search(search({}, { total: false }))).total, undefined);
    },
  },
];
