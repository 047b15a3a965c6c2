import assert from 'node:assert/strict';
import type { DeliveryFilter, DeliveryRow } from '../contract/delivery-rows.js';
import { applied, range, refused } from './store-asserts.js';
import type { StoreCase } from './store-case.js';
import * as rows from './store-fixtures.js';

const { deliveryRow, endpointRow, eventRow, insert, requestId, requestRow, T0 } = rows;
const idsOf = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id);

export const deliveryCases: readonly StoreCase[] = [
  {
    name: 'keeps endpoints and the results of their deliveries',
    async run({ store }) {
      assert.equal(await store.feedEnd(), 0);
      await applied(store, insert('endpoints', endpointRow(2)), insert('endpoints', endpointRow(1)));
      assert.deepEqual(await store.endpoints(), [endpointRow(1), endpointRow(2)]);
      await refused(store, 'duplicate', 'endpoints', insert('endpoints', endpointRow(1)));
      const set = { state: 'disabled', reason: 'gone', failingSince: T0 } as const;
      const key = { id: endpointRow(1).id };
      await applied(store, { op: 'update', table: 'endpoints', key, version: 1, set });
      assert.deepEqual((await store.endpoints())[0], endpointRow(1, { ...set, version: 2 }));
      assert.deepEqual(await store.endpoint(key.id), endpointRow(1, { ...set, version: 2 }));
      assert.equal(await store.endpoint('nobody'), undefined);
      await refused(store, 'version', 'endpoints', { op: 'update', table: 'endpoints', key, version: 1, set });
    },
  },
  {
    name: 'walks requests of one key by when they changed last, and meets those that change meanwhile again',
    async run({ store }) {
      const row = (n: number, updatedAt: number, keyId: string | null) =>
        requestRow(n, { updatedAt: T0 + updatedAt, keyId });
      const all = [row(1, 3, 'a'), row(2, 2, 'a'), row(3, 2, 'a'), row(4, 2, 'b'), row(5, 2, null), row(6, 1, 'a')];
      await applied(store, ...all.map((one) => insert('requests', one)));
      const walk = async (updatedAt: number, id: string, limit = 10) =>
        (await store.requestsOfKey('a', { updatedAt: T0 + updatedAt, id }, limit)).map((mark) => [
          mark.id,
          mark.updatedAt - T0,
        ]);
      const [one, two, three, six] = [1, 2, 3, 6].map((n) => requestId(n));
      const equal = [two, three].sort();
      assert.deepEqual(await walk(0, ''), [[six, 1], ...equal.map((id) => [id, 2]), [one, 3]]);
      assert.deepEqual(await walk(2, '', 1), [[equal[0], 2]]);
      assert.deepEqual(await walk(2, equal[0] ?? ''), [
        [equal[1], 2],
        [one, 3],
      ]);
      const key = { id: requestId(6) };
      await applied(store, { op: 'update', table: 'requests', key, version: 1, set: { updatedAt: T0 + 9 } });
      assert.deepEqual(await walk(3, one ?? ''), [[six, 9]]);
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
      const due = await store.dueDeliveries(['endpoint-1'], T0 + 9, 10);
      assert.deepEqual(idsOf(due.map(({ delivery }) => delivery)), to(2, 3, 1));
      const event = (await store.events(1, 1))[0];
      assert.deepEqual(due[0], { delivery: deliveryRow(2, { dueAt: T0 + 3, requestId: requestId(1) }), event });
      const first = async (now: number, limit: number) =>
        idsOf((await store.dueDeliveries(['endpoint-1'], now, limit)).map(({ delivery }) => delivery));
      assert.deepEqual(await first(T0 + 9, 1), to(2));
      assert.deepEqual(await first(T0 + 8, 10), to(2, 3));
      assert.deepEqual(await first(T0 + 2, 10), []);

      const open = await store.openDeliveries([requestId(1), requestId(9), requestId(1)]);
      assert.deepEqual(idsOf(open), [...to(1, 2, 4), 'other/event-5']);
      const only = async (...endpoints: readonly string[]) =>
        idsOf(await store.openDeliveries([requestId(1), requestId(9)], endpoints));
      assert.deepEqual(await only('other', 'nobody'), ['other/event-5']);
      assert.deepEqual(await only(), []);
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
  {
    name: 'reads the log of an endpoint, the latest events first, and what someone wants again',
    async run({ store }) {
      const states = ['delivered', 'failed', 'again', 'behind', 'due', 'delivered'] as const;
      for (const n of states.keys()) await applied(store, insert('events', eventRow(n + 1)));
      await applied(
        store,
        ...states.map((state, n) =>
          insert('deliveries', deliveryRow(n + 1, { state, answerStatus: 500, answer: 'no' })),
        ),
        insert('deliveries', deliveryRow(2, { id: 'other/event-2', endpointId: 'other', state: 'again' })),
      );
      const log = async (filter: DeliveryFilter) =>
        (await store.deliveriesOf('endpoint-1', filter)).map(({ position }) => position);
      assert.deepEqual(await log({ limit: 10 }), [6, 5, 4, 3, 2, 1]);
      assert.deepEqual(await log({ limit: 2, before: 5 }), [4, 3]);
      assert.deepEqual(await log({ limit: 10, state: 'open' }), [5, 4, 3]);
      assert.deepEqual(await log({ limit: 1, state: 'open', before: 5 }), [4]);
      assert.deepEqual(await log({ limit: 10, state: 'failed' }), [2]);
      assert.deepEqual(await log({ limit: 10, state: 'delivered', before: 6 }), [1]);
      assert.deepEqual(await log({ limit: 10, before: 1 }), []);
      const again = async (ids: readonly string[], limit = 10) => idsOf(await store.deliveriesAgain(ids, limit)).sort();
      assert.deepEqual(await again(['endpoint-1', 'other', 'nobody']), ['endpoint-1/event-3', 'other/event-2']);
      assert.deepEqual(await again(['other']), ['other/event-2']);
      assert.equal((await again(['endpoint-1', 'other'], 1)).length, 1);
      const open = await store.openDeliveries([requestId(3), requestId(1)]);
      assert.deepEqual(idsOf(open), ['endpoint-1/event-3']);
    },
  },
  {
    name: 'gives each endpoint its share of what is due, however much another has, and what is due at once in the order of events',
    async run({ store }) {
      await applied(store, ...range(40).map((n) => insert('events', eventRow(n))));
      const of = (endpointId: string, n: number, id = `${endpointId}/event-${n}`) =>
        insert('deliveries', deliveryRow(n, { id, endpointId, dueAt: T0 }));
      await applied(
        store,
        ...range(39, 2).map((n) => of('many', n)),
        ...[3, 9, 1].map((n) => of('few', n)),
        of('few', 1, 'few/event-1-b'),
        of('few', 1, 'few/event-1-a'),
        insert('deliveries', deliveryRow(5, { id: 'later/event-5', endpointId: 'later', dueAt: T0 + 1 })),
      );
      const due = await store.dueDeliveries(['few', 'many', 'later', 'many', 'nobody'], T0, 4);
      const to = (endpointId: string) =>
        idsOf(due.map(({ delivery }) => delivery).filter((row) => row.endpointId === endpointId));
      assert.deepEqual(to('few'), ['few/event-1', 'few/event-1-a', 'few/event-1-b', 'few/event-3']);
      assert.deepEqual(to('many'), ['many/event-2', 'many/event-3', 'many/event-4', 'many/event-5']);
      assert.equal(due.length, 8);
      for (const { delivery, event } of due) assert.equal(event.id, delivery.eventId);
      assert.deepEqual(await store.dueDeliveries([], T0, 4), []);
      assert.deepEqual(await store.firstDue([]), []);
    },
  },
  {
    name: 'counts the open deliveries of active endpoints by channel, and says since when',
    async run({ store }) {
      await applied(store, ...range(9).map((n) => insert('events', eventRow(n, { createdAt: T0 + n }))));
      // Writing deliveries implies reading the events, which may assign their positions.
      assert.equal((await store.events(0, 20)).length, 9);
      const at = (n: number, endpointId: string, state: DeliveryRow['state']) =>
        insert('deliveries', deliveryRow(n, { id: `${endpointId}/${n}`, endpointId, state }));
      await applied(
        store,
        insert('endpoints', endpointRow(1, { channel: 'post' })),
        insert('endpoints', endpointRow(2, { channel: 'post' })),
        insert('endpoints', endpointRow(3, { channel: 'mail' })),
        insert('endpoints', endpointRow(4, { channel: 'mail', state: 'disabled' })),
        insert('endpoints', endpointRow(5, { channel: 'idle' })),
        ...[at(1, 'endpoint-1', 'delivered'), at(5, 'endpoint-1', 'due'), at(6, 'endpoint-1', 'behind')],
        ...[at(4, 'endpoint-2', 'again'), at(3, 'endpoint-2', 'failed'), at(7, 'endpoint-3', 'due')],
        ...[at(2, 'endpoint-4', 'due'), at(8, 'endpoint-5', 'delivered')],
      );
      const found = await store.backlog();
      assert.deepEqual(
        [...found].sort((a, b) => (a.channel < b.channel ? -1 : 1)),
        [
          { channel: 'mail', open: 1, since: T0 + 7 },
          { channel: 'post', open: 3, since: T0 + 4 },
        ],
      );
    },
  },
  {
    name: 'says so where the event of what is due is missing',
    async run({ store }) {
      await applied(store, insert('events', eventRow(1)), insert('deliveries', deliveryRow(1)));
      await applied(store, insert('deliveries', deliveryRow(2)));
      await assert.rejects(store.dueDeliveries(['endpoint-1'], T0 + 9, 10), /event that is not there/);
      assert.equal((await store.dueDeliveries(['endpoint-1'], T0 + 1, 10)).length, 1);
    },
  },
];
