import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/contract/index.js';
import { Feed } from '../../src/events/feed/feed.js';
import { changeSet, eventRow, insert, requestRow } from '../../src/testing/store-fixtures.js';
import { clock, log, type SqliteHarness, sqliteHarness } from '../store/sqlite-harness.js';

/** Shorter waits gather events; longer ones are polls. */
const POLLS_MS = 40;

let harness: SqliteHarness;

beforeEach(async () => {
  harness = await sqliteHarness();
});

afterEach(() => harness.dispose());

/** Without polls, dependence on one hangs. */
const unpolled: Clock = {
  ...clock,
  sleep: (ms, signal) =>
    ms < POLLS_MS
      ? clock.sleep(ms)
      : new Promise((resolve) => {
          if (signal?.aborted) resolve();
          else signal?.addEventListener('abort', () => resolve(), { once: true });
        }),
};

describe('the feed of a process that has its database alone', () => {
  it('is read as soon as something was added to it, however little else happens', async () => {
    const reported: string[] = [];
    let wake = (): void => undefined;
    const feed = new Feed({
      ...{ store: harness.store, clock: unpolled, log, onUnreadable: () => undefined },
      prepare: async (events) => () => {
        reported.push(...events.map(({ requestId }) => requestId));
        wake();
        return true;
      },
    });
    await feed.start();
    for (const n of [1, 2, 3]) {
      const read = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await harness.store.apply(changeSet(insert('requests', requestRow(n)), insert('events', eventRow(n))));
      await read;
    }
    expect(reported).toEqual([1, 2, 3].map((n) => eventRow(n).requestId));
    await feed.close();
  });
});

describe('the feeds of several processes of one database', () => {
  it('hear at once of what any of them committed, by the hint of their store', async () => {
    const hinted = new Set<() => void>();
    const { store } = harness;
    const events = Promise.all(
      [1, 2].map(async () => {
        const heard: number[] = [];
        let wake = (): void => undefined;
        const three = new Promise<void>((resolve) => {
          wake = () => heard.length === 3 && resolve();
        });
        const feed = new Feed({
          ...{ clock: unpolled, log, onUnreadable: () => undefined },
          store: {
            events: (after, limit) => store.events(after, limit),
            feedEnd: () => store.feedEnd(),
            // Other processes share the database: no local hints.
            onHint: (listener) => {
              hinted.add(listener);
              return () => void hinted.delete(listener);
            },
          },
          prepare: async (page) => () => {
            heard.push(...page.map(({ position }) => position));
            wake();
            return true;
          },
        });
        await feed.start();
        await three;
        await feed.close();
        return heard;
      }),
    );
    while (hinted.size < 2) await clock.sleep(1);
    for (const n of [1, 2, 3]) {
      await store.apply(changeSet(insert('requests', requestRow(n)), insert('events', eventRow(n))));
      for (const listener of hinted) listener();
    }
    expect(await events).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(hinted.size).toBe(0);
  });
});

describe('what a store hints at', () => {
  it('is what it added to the feed, and nothing after that was ended', async () => {
    let hints = 0;
    const end = harness.store.onEvents?.(() => {
      hints += 1;
    });
    await harness.store.apply(changeSet(insert('requests', requestRow(1))));
    expect(hints).toBe(0);
    await harness.store.apply(changeSet(insert('events', eventRow(1))));
    expect(hints).toBe(1);
    // A duplicate: nothing was added.
    expect((await harness.store.apply(changeSet(insert('events', eventRow(1))))).ok).toBe(false);
    expect(hints).toBe(1);
    end?.();
    await harness.store.apply(changeSet(insert('events', eventRow(2))));
    expect(hints).toBe(1);
  });
});
