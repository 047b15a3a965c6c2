import assert from 'node:assert/strict';
import { applied, refused } from './store-asserts.js';
import type { StoreCase } from './store-case.js';
import * as rows from './store-fixtures.js';

const { deliveryRow, endpointRow, eventRow, insert, requestId, T0 } = rows;
const idsOf = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id);

/** Who is told of events, and what is to be told. */
export const deliveryCases: readonly StoreCase[] = [
  {
    name: 'keeps endpoints and what became of them',
    async run({ store }) {
      assert.equal(await store.feedEnd(), 0);
      await applied(store, insert('endpoints', endpointRow(2)), insert('endpoints', endpointRow(1)));
      assert.deepEqual(await store.endpoints(), [endpointRow(1), endpointRow(2)]);
      await refused(store, 'duplicate', 'endpoints', insert('endpoints', endpointRow(1)));
      const set = { state: 'disabled', reason: 'gone', failingSince: T0 } as const;
      const key = { id: endpointRow(1).id };
      await applied(store, { op: 'update', table: 'endpoints', key, version: 1, set });
      assert.deepEqual((await store.endpoints())[0], endpointRow(1, { ...set, version: 2 }));
      await refused(store, 'version', 'endpoints', { op: 'update', table: 'endpoints', key, version: 1, set });
    },
  },
  {
    name: 'finds what is due for an endpoint with its events, and what of a request is not over',
    async run({ store }) {
      await applied(store, ...[1, 2, 3, 4, 5].map((n) => insert('events', eventRow(n))));
      assert.equal(await store.feedEnd(), 5);
      await applied(
        store,
        insert('deliveries', deliveryRow(1, { dueAt: T0 + 9 })),
        insert('deliveries', deliveryRow(2, { dueAt: T0 + 3, requestId: requestId(1) })),
        insert('deliveries', deliveryRow(3)),
        insert('deliveries', deliveryRow(4, { state: 'behind', requestId: requestId(1) })),
        insert('deliveries', deliveryRow(5, { state: 'delivered', requestId: requestId(1) })),
        insert('deliveries', deliveryRow(5, { id: 'other/event-5', endpointId: 'other', requestId: requestId(1) })),
        insert('deliveries', deliveryRow(4, { id: 'other/event-4', endpointId: 'other', state: 'failed' })),
      );
      const to = (...numbers: readonly number[]) => numbers.map((n) => deliveryRow(n).id);
      const due = await store.dueDeliveries('endpoint-1', T0 + 9, 10);
      assert.deepEqual(idsOf(due.map(({ delivery }) => delivery)), to(2, 3, 1));
      const event = (await store.events(1, 1))[0];
      assert.deepEqual(due[0], { delivery: deliveryRow(2, { dueAt: T0 + 3, requestId: requestId(1) }), event });
      const first = async (now: number, limit: number) =>
        idsOf((await store.dueDeliveries('endpoint-1', now, limit)).map(({ delivery }) => delivery));
      assert.deepEqual(await first(T0 + 9, 1), to(2));
      assert.deepEqual(await first(T0 + 8, 10), to(2, 3));
      assert.deepEqual(await first(T0 + 2, 10), []);

      const open = await store.openDeliveries([requestId(1), requestId(9), requestId(1)]);
      assert.deepEqual(idsOf(open), [...to(1, 2, 4), 'other/event-5']);
      const when = await store.firstDue(['endpoint-1', 'other', 'nobody']);
      assert.deepEqual(
        [...when].sort((a, b) => (a.endpointId < b.endpointId ? -1 : 1)),
        [
          { endpointId: 'endpoint-1', dueAt: T0 + 3 },
          { endpointId: 'other', dueAt: T0 + 5 },
        ],
      );

      const [key, set] = [{ id: deliveryRow(2).id }, { state: 'delivered', lastError: null } as const];
      await applied(store, { op: 'update', table: 'deliveries', key, version: 1, set });
      assert.deepEqual(await first(T0 + 9, 10), to(3, 1));
      assert.equal((await store.deliveries([key.id]))[0]?.state, 'delivered');
      await refused(store, 'version', 'deliveries', { op: 'update', table: 'deliveries', key, version: 1, set });
      await refused(store, 'duplicate', 'deliveries', insert('deliveries', deliveryRow(1)));
    },
  },
];
