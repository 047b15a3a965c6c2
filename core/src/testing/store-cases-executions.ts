import assert from 'node:assert/strict';
import type { Tables } from '../contract/store-rows.js';
import { applied, refused } from './store-asserts.js';
import type { StoreCase } from './store-case.js';
import * as rows from './store-fixtures.js';

const { insert, T0 } = rows;

export const executionCases: readonly StoreCase[] = [
  {
    name: 'finds executions of payers by request, state and height',
    async run({ store }) {
      await applied(
        store,
        ...[4, 3, 2, 1].map((n) => insert('executions', rows.executionRow(n))),
        insert('executions', rows.executionRow(5, { state: 'final', requestId: rows.requestId(1) })),
        insert('executions', rows.executionRow(6, { state: 'vanished', height: null, blockId: null, blockTime: null })),
        insert('executions', rows.executionRow(7, { chainId: 902 })),
      );
      const named = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id);
      const of = (...numbers: readonly number[]) => numbers.map((n) => rows.executionRow(n).id);
      assert.deepEqual(await store.executions(of(2)), [rows.executionRow(2)]);
      assert.deepEqual(named(await store.executionsOf([1, 2, 1].map(rows.requestId))), of(1, 2, 5));
      assert.deepEqual(named(await store.executionsAbove(901, 102)), of(3, 4));
      assert.deepEqual(named(await store.executionsToFinalise(901, 103, 10)), of(1, 2, 3));
      assert.deepEqual(named(await store.executionsToFinalise(901, 103, 2)), of(1, 2));
      await refused(store, 'duplicate', 'executions', insert('executions', rows.executionRow(1)));
    },
  },
  {
    name: 'reads hints that name a request in the order in which they came',
    async run({ store }) {
      const hint = (n: number, of: Tables['hints']['requestId'] = rows.requestId(n)) =>
        rows.hintRow(n, { requestId: of, createdAt: T0 + Math.ceil(n / 2) });
      await applied(store, ...[3, 1, 2].map((n) => insert('hints', hint(n))), insert('hints', hint(4, null)));
      const after = async (n: number, limit = 9) => (await store.hintsAfter(hint(n), limit)).map(({ id }) => id);
      const of = (...numbers: readonly number[]) => numbers.map((n) => hint(n).id);
      assert.deepEqual(await after(0), of(1, 2, 3));
      assert.deepEqual(await after(0, 2), of(1, 2));
      assert.deepEqual(await after(1), of(2, 3));
      assert.deepEqual(await after(3), []);
    },
  },
];
