import assert from 'node:assert/strict';
import type { Change, Store } from '../contract/store.js';
import { applied, during, range } from './store-asserts.js';
import { rivals, type StoreCase } from './store-case.js';
import * as rows from './store-fixtures.js';

const { changeSet, insert } = rows;

/** Follows the feed page by page, as a dispatcher does. */
class Reader {
  readonly ids: string[] = [];
  readonly positions: number[] = [];
  readonly #store: Store;
  readonly #page: number;

  constructor(store: Store, page: number) {
    this.#store = store;
    this.#page = page;
  }

  async next(): Promise<number> {
    const found = await this.#store.events(this.positions.at(-1) ?? 0, this.#page);
    for (const { id, position } of found) {
      this.ids.push(id);
      this.positions.push(position);
    }
    return found.length;
  }

  async drain(): Promise<void> {
    while ((await this.next()) > 0);
  }
}

const idOf = (writer: number, sequence: number) => `event-${writer}-${sequence}`;
const eventOf = (writer: number, sequence: number): Change =>
  insert('events', rows.eventRow(writer, { id: idOf(writer, sequence), sequence }));

/** Slows the commit, so that positions may be drawn long before other sets are visible. */
const ballast = (writer: number, sequence: number): Change[] =>
  range(40).map((n) => insert('hints', rows.hintRow(writer * 100_000 + sequence * 100 + n)));

export const feedCases: readonly StoreCase[] = [
  {
    name: 'shows each event once, whole and in order, to readers that page while writers commit',
    async run(harness) {
      const stores = await rivals(harness);
      const writers = range(12);
      const rounds = range(8);
      const readers = [new Reader(stores[0], 1), new Reader(stores[1], 7), new Reader(stores[1], 1_000)];
      const writing = Promise.all(
        writers.map(async (writer) => {
          const store = stores[writer % 2] as Store;
          for (const round of rounds) {
            const [first, second] = [round * 2 - 1, round * 2];
            const slow = writer % 3 === 0 ? ballast(writer, round) : [];
            await applied(store, eventOf(writer, first), ...slow, eventOf(writer, second));
          }
        }),
      );
      await Promise.all(readers.map((reader) => during(writing, () => reader.next())));
      const total = writers.length * rounds.length * 2;
      for (const reader of readers) {
        await reader.drain();
        assert.equal(reader.ids.length, total, 'events missed or repeated');
        assert.equal(new Set(reader.ids).size, total);
        assert.ok(
          reader.positions.every((position, at) => at === 0 || position > (reader.positions[at - 1] ?? 0)),
          'positions grow',
        );
        for (const writer of writers) {
          assert.deepEqual(
            reader.ids.filter((id) => id.startsWith(`event-${writer}-`)),
            range(rounds.length * 2).map((sequence) => idOf(writer, sequence)),
          );
        }
      }
      assert.deepEqual(readers[0]?.positions, readers[1]?.positions, 'a position belongs to one event for ever');
      assert.deepEqual(readers[0]?.ids, readers[2]?.ids);
    },
  },
  {
    name: 'gives a refused set no event, and its successor a later position',
    async run(harness) {
      const [left, right] = await rivals(harness);
      await applied(left, eventOf(1, 1));
      assert.equal((await right.apply(changeSet(eventOf(2, 1), eventOf(1, 1)))).ok, false);
      await applied(right, eventOf(3, 1));
      const reader = new Reader(left, 10);
      await reader.drain();
      assert.deepEqual(reader.ids, [idOf(1, 1), idOf(3, 1)]);
    },
  },
  {
    name: 'finds the events of one request after a position, in their order',
    async run({ store }) {
      await applied(store, eventOf(1, 1), eventOf(2, 1), eventOf(1, 2), eventOf(1, 3));
      const all = await store.events(0, 10);
      const of = all.filter(({ id }) => id.startsWith('event-1-'));
      assert.deepEqual(await store.eventsOf(rows.requestId(1), 0), of);
      assert.deepEqual(await store.eventsOf(rows.requestId(1), of[0]?.position ?? 0), of.slice(1));
      assert.deepEqual(await store.eventsOf(rows.requestId(1), of[2]?.position ?? 0), []);
      assert.deepEqual(await store.eventsOf(rows.requestId(9), 0), []);
    },
  },
  {
    name: 'goes on after the last position over a restart and a crash',
    async run(harness) {
      await applied(harness.store, ...range(5).map((n) => eventOf(n, 1)));
      const before = new Reader(harness.store, 2);
      await before.drain();
      const last = before.positions.at(-1) ?? 0;
      const again = await harness.reopen();
      await applied(again, eventOf(6, 1));
      const crashed = (await harness.crash?.()) ?? (await harness.reopen());
      await applied(crashed, eventOf(7, 1));
      const after = await crashed.events(last, 10);
      assert.deepEqual(
        after.map((event) => event.id),
        [idOf(6, 1), idOf(7, 1)],
      );
      assert.ok((after[0]?.position ?? 0) > last && (after[1]?.position ?? 0) > (after[0]?.position ?? 0));
    },
  },
];
