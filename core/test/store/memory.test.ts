import { beforeEach, describe, expect, it } from 'vitest';
import { type MemoryStore, memoryStore } from '../../src/testing/index.js';
import {
  changeSet,
  eventRow,
  insert,
  laneRow,
  legRow,
  move,
  requestId,
  requestRow,
} from '../../src/testing/store-fixtures.js';

const LANE = { id: laneRow(1).id };
let now = 0;
const clock = { monotonic: () => now };
let store: MemoryStore;

beforeEach(async () => {
  now = 0;
  store = memoryStore({ clock });
  await store.open();
  await store.apply(
    changeSet(
      insert('lanes', laneRow(1)),
      insert('requests', requestRow(1)),
      insert('legs', legRow(1)),
      insert('events', eventRow(1)),
      move('g1', 'a', 'b', 5n),
    ),
  );
});

const advance = (on: MemoryStore, version: number) =>
  on.apply(changeSet({ op: 'update', table: 'lanes', key: LANE, version, set: { position: String(version) } }));

async function restored(): Promise<MemoryStore> {
  const copy = memoryStore({ clock, from: store.snapshot() });
  await copy.open();
  return copy;
}

describe('what a read returns', () => {
  it('cannot be changed by its reader', async () => {
    const [leg] = await store.legs([legRow(1).id]);
    expect(() => Object.assign(leg ?? {}, { amount: 0n })).toThrow(TypeError);
    const due = (await store.claimDue(902, 'filler', Number.MAX_SAFE_INTEGER, 9)) as unknown[];
    due.length = 0;
    expect(await store.claimDue(902, 'filler', Number.MAX_SAFE_INTEGER, 9)).toHaveLength(1);
    const [view] = await store.views([requestId(1)]);
    (view?.legs as unknown[]).length = 0;
    expect((await store.views([requestId(1)]))[0]?.legs).toHaveLength(1);
  });

  it('stays as it was while the row goes on', async () => {
    const before = await store.lane(902, 'filler1');
    expect(await advance(store, 1)).toEqual({ ok: true });
    expect(before).toEqual(laneRow(1));
    expect(await store.lane(902, 'filler1')).toEqual(laneRow(1, { version: 2, position: '1' }));
  });

  it('is of the moment of the call', async () => {
    const reading = store.lane(902, 'filler1');
    const writing = advance(store, 1);
    expect(await reading).toEqual(laneRow(1));
    expect(await writing).toEqual({ ok: true });
  });
});

describe('a snapshot', () => {
  it('holds everything of its moment, and neither side sees what the other does afterwards', async () => {
    const snapshot = store.snapshot();
    await advance(store, 1);
    for (const again of [1, 2]) {
      const copy = memoryStore({ clock, from: snapshot });
      await copy.open();
      expect(await copy.lane(902, 'filler1'), `copy ${again}`).toEqual(laneRow(1));
      expect(await copy.apply(changeSet(move('g1', 'a', 'b', 5n)))).toMatchObject({ conflict: { kind: 'duplicate' } });
      expect(await copy.apply(changeSet(insert('events', eventRow(2)), move('g2', 'a', 'b', 1n)))).toEqual({
        ok: true,
      });
      expect((await copy.events(0, 9)).map(({ position }) => position)).toEqual([1, 2]);
      expect(await copy.pot('b')).toBe(6n);
      expect(await copy.unsettled(9)).toHaveLength(1);
    }
    expect(await store.pot('b')).toBe(5n);
    expect(await store.events(0, 9)).toHaveLength(1);
  });

  it('has no holders of leases, and gives none of their tokens again', async () => {
    const [held] = await store.claimLeases(['service'], 'one', 1_000);
    const copy = await restored();
    const [lease] = await copy.claimLeases(['service'], 'two', 1_000);
    expect(lease?.token).toBeGreaterThan(held?.token ?? Number.POSITIVE_INFINITY);
    const late = changeSet({ op: 'fence', scope: 'service', token: held?.token ?? 0 });
    expect(await copy.apply(late)).toMatchObject({ conflict: { kind: 'fenced' } });
    expect(await store.apply(late)).toEqual({ ok: true });
  });

  it('of something else is refused', () => {
    expect(() => memoryStore({ clock, from: { rows: 0 } })).toThrow('not a snapshot');
  });
});

describe('another store on the same database', () => {
  it('sees and is seen, and closes alone', async () => {
    const other = store.another();
    await expect(other.lanes()).rejects.toThrow('not open');
    await other.open();
    await advance(other, 1);
    expect((await store.lanes())[0]?.version).toBe(2);
    await store.close();
    await expect(store.lanes()).rejects.toThrow('closed');
    expect(await other.lanes()).toHaveLength(1);
  });

  it('waits for leases to run out by the clock of the database', async () => {
    const other = store.another();
    await other.open();
    await store.claimLeases(['service'], 'one', 1_000);
    now = 999;
    expect(await other.claimLeases(['service'], 'two', 1_000)).toEqual([]);
    now = 1_000;
    expect(await other.claimLeases(['service'], 'two', 1_000)).toHaveLength(1);
  });
});
