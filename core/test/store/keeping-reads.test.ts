import sqlite3 from 'sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Change } from '../../src/contract/index.js';
import {
  attemptRow,
  changeSet,
  cursorRow,
  depositRow,
  holdRow,
  insert,
  keyRow,
  laneRow,
  legRow,
  metaRow,
  pauseRow,
  requestRow,
  T0,
  transactionRow,
} from '../../src/testing/store-fixtures.js';
import { type SqliteHarness, sqliteHarness } from './sqlite-harness.js';

let harness: SqliteHarness;
let statements: string[];

beforeEach(async () => {
  statements = [];
  const { all } = sqlite3.Database.prototype;
  // All statements, prepared or reused.
  vi.spyOn(sqlite3.Database.prototype, 'all').mockImplementation(function (this: sqlite3.Database, ...args: unknown[]) {
    statements.push(String(args[0]));
    return (all as (...args: unknown[]) => sqlite3.Database).apply(this, args);
  });
  const { all: run } = sqlite3.Statement.prototype;
  vi.spyOn(sqlite3.Statement.prototype, 'all').mockImplementation(function (
    this: sqlite3.Statement,
    ...args: unknown[]
  ) {
    statements.push('prepared');
    return (run as (...args: unknown[]) => sqlite3.Statement).apply(this, args as never);
  });
  harness = await sqliteHarness();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await harness.dispose();
});

type Update = Extract<Change, { op: 'update' }>;
const update = (table: Update['table'], key: object, version: number, set: object): Change =>
  ({ op: 'update', table, key, version, set }) as Update;

async function write(...changes: Change[]): Promise<void> {
  expect(await harness.store.apply(changeSet(...changes))).toEqual({ ok: true });
}

/** An idle service's reads. */
const SIGNER = laneRow(1).signer;
const whenIdle = () => {
  const { store } = harness;
  return Promise.all([
    store.claimDue(902, SIGNER, T0 + 50, 50),
    store.openKeys(902, SIGNER, 50),
    store.lane(902, SIGNER),
    store.lanes(),
    store.cursor(901),
    store.undecided(901, 200),
    store.unconfirmed(901, 200),
    store.depositsToFinalise(901, 10, 500),
    store.collectable(901, 50),
    store.pots('inventory:'),
    store.pot('inventory:902:s:0x0'),
    store.undescribed(32),
    store.pauses(),
    store.holds('open'),
    store.meta('m'),
  ]);
};

describe('reads that workers repeat', () => {
  it('ask the database nothing while nothing is written', async () => {
    await write(insert('lanes', laneRow(1)));
    const first = await whenIdle();
    const asked = statements.length;
    expect(asked).toBeGreaterThan(10);
    for (let round = 0; round < 3; round += 1) expect(await whenIdle()).toEqual(first);
    expect(statements.length).toBe(asked);
  });

  it('go on asking nothing while leases are renewed', async () => {
    const { store } = harness;
    await write(insert('lanes', laneRow(1)));
    const first = await whenIdle();
    const [lease] = await store.claimLeases(['lane:1'], 'one', 60_000);
    const asked = statements.length;
    expect(await store.claimLeases(['lane:1'], 'one', 60_000)).toEqual([lease]);
    // The renewal itself reads its leases.
    expect(statements.splice(asked)).toHaveLength(1);
    expect(await whenIdle()).toEqual(first);
    expect(statements.length).toBe(asked);
  });

  it('go on asking nothing while the cursors of other chains move', async () => {
    const { store } = harness;
    await store.cursor(901);
    await write(insert('cursors', cursorRow(902)));
    const asked = statements.length;
    await store.cursor(901);
    expect(statements.length).toBe(asked);
    expect(await store.cursor(902)).toMatchObject({ chainId: 902, version: 1 });
  });

  it('ask nothing for a balance that was just written, and go on while other balances and settings are', async () => {
    const { store } = harness;
    const [own, other] = ['#own', '#other'];
    await Promise.all([store.pot(own), store.meta('m')]);
    await write({ op: 'count', account: own, by: 5n });
    await write(
      { op: 'count', account: own, by: 2n },
      { op: 'count', account: other, by: 1n },
      insert('meta', metaRow(1)),
    );
    const asked = statements.length;
    expect([await store.pot(own), await store.meta('m')]).toEqual([7n, undefined]);
    expect(statements.length).toBe(asked);
    expect(await harness.store.apply(changeSet({ op: 'count', account: own, by: -8n, atLeast: 0n }))).toMatchObject({
      ok: false,
    });
    expect([await store.pot(own), await store.pot(other)]).toEqual([7n, 1n]);
  });

  it('report each kind of row as soon as it is written', async () => {
    const { store } = harness;
    await whenIdle();
    await write(insert('requests', requestRow(1)), insert('deposits', depositRow(1, { state: 'mempool' })));
    expect(await store.unconfirmed(901, 200)).toHaveLength(1);
    await write(update('deposits', { fundingKey: depositRow(1).fundingKey }, 1, { state: 'included', height: 7 }));
    expect(await store.unconfirmed(901, 200)).toHaveLength(0);
    expect(await store.undecided(901, 200)).toHaveLength(1);
    expect(await store.depositsToFinalise(901, 6, 500)).toHaveLength(0);
    expect(await store.depositsToFinalise(901, 7, 500)).toHaveLength(1);
    await write(insert('lanes', laneRow(1)));
    expect([await store.lanes(), [await store.lane(902, SIGNER)]]).toMatchObject([[laneRow(1)], [laneRow(1)]]);
    await write(insert('pauses', pauseRow(1)), insert('holds', holdRow(1)), insert('meta', metaRow(1)));
    expect([await store.pauses(), await store.holds('open')]).toMatchObject([[pauseRow(1)], [holdRow(1)]]);
    expect(await store.meta(metaRow(1).key)).toEqual(metaRow(1));
    await write(insert('transactions', transactionRow(1, { entry: null, block: 3 })));
    expect(await store.undescribed(32)).toHaveLength(1);
    await write({ op: 'count', account: 'inventory:902:s:0x0', by: 5n });
    expect([await store.pot('inventory:902:s:0x0'), await store.pots('inventory:')]).toMatchObject([
      5n,
      [{ amount: 5n }],
    ]);
    await write(insert('keys', keyRow(1)), insert('attempts', attemptRow(1)));
    expect(await store.openKeys(keyRow(1).chainId, keyRow(1).signer, 50)).toHaveLength(1);
  });

  it('find a leg in the moment that it is due, by its row alone', async () => {
    const { store } = harness;
    const { chainId, signer, id } = legRow(1);
    expect(await store.claimDue(chainId, signer, T0 + 10, 50)).toEqual([]);
    await write(insert('requests', requestRow(1)), insert('legs', legRow(1, { state: 'owed', dueAt: T0 + 20 })));
    expect(await store.claimDue(chainId, signer, T0 + 19, 50)).toEqual([]);
    expect(await store.claimDue(chainId, signer, T0 + 20, 50)).toMatchObject([{ id }]);
    await write(update('legs', { id }, 1, { dueAt: T0 + 15 }));
    expect(await store.claimDue(chainId, signer, T0 + 15, 50)).toMatchObject([{ id, version: 2 }]);
  });

  it('are never behind a write that was answered, however many are under way', async () => {
    const { store } = harness;
    await write(insert('meta', metaRow(1)), insert('cursors', cursorRow(901)));
    const { key } = metaRow(1);
    let reported = 1;
    // A failure ends the loop below.
    const writing = (async () => {
      for (let version = 1; version < 60; version += 1) {
        await write(
          update('meta', { key }, version, { value: `${version + 1}` }),
          update('cursors', { chainId: 901 }, version, { cursor: `${version + 1}` }),
        );
        reported = version + 1;
      }
    })().finally(() => {
      reported = 60;
    });
    const seen: number[] = [];
    while (reported < 60) {
      const least = reported;
      // Cached answers never yield; writers need a turn.
      await new Promise((resolve) => setImmediate(resolve));
      const rows = await Promise.all([store.meta(key), store.cursor(901), store.meta(key)]);
      for (const row of rows) expect(row?.version).toBeGreaterThanOrEqual(least);
      seen.push(...rows.map((row) => row?.version ?? 0));
    }
    await writing;
    expect(new Set(seen).size).toBeGreaterThan(5);
    expect((await store.meta(key))?.version).toBe(60);
  });
});
