import assert from 'node:assert/strict';
import type { Keyset } from '../contract/search.js';
import type { Change } from '../contract/store.js';
import { naiveSearch } from './naive-search.js';
import { randomRequest, randomSearch } from './random-search.js';
import { SeededRandom } from './seeded-random.js';
import { applied, range } from './store-asserts.js';
import type { StoreCase } from './store-case.js';
import * as rows from './store-fixtures.js';

const REQUESTS = 100;
const SEARCHES = 160;
const SEED = 'search';

export const randomSearchCases: readonly StoreCase[] = [
  {
    name: 'finds exactly what a plain reading of every filter finds, page by page',
    async run({ store }) {
      const random = new SeededRandom(SEED);
      const all = range(REQUESTS).map((n) => randomRequest(random.fork(`request ${n}`), n));
      const changes = all.flatMap(({ request, transactions }): Change[] => [
        rows.insert('requests', request),
        ...transactions.map((row) => rows.insert('transactions', row)),
      ]);
      await applied(store, ...changes);
      let hits = 0;
      for (const n of range(SEARCHES)) {
        const search = randomSearch(random.fork(`search ${n}`));
        const expected = naiveSearch(all, search);
        const seen: string[] = [];
        for (let after: Keyset | undefined; ; ) {
          const page = await store.search({ ...search, total: !after, ...(after ? { after } : {}) });
          if (!after) assert.equal(page.total, expected.total, `total of search ${n}: ${JSON.stringify(search)}`);
          seen.push(...page.rows.map((view) => view.request.id));
          after = page.next;
          if (!after || seen.length > REQUESTS) break;
        }
        assert.deepEqual(seen, expected.ids, `search ${n}: ${JSON.stringify(search)}`);
        if (seen.length > 0 && seen.length < REQUESTS) hits += 1;
      }
      assert.ok(hits > SEARCHES / 4, 'too few searches found some and not all');
    },
  },
];
