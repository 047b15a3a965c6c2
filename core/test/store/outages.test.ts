import { writeFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import sqlite3 from 'sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ApplyOutcome,
  type Change,
  type Clock,
  CommitUnknownError,
  StoreUnavailableError,
} from '../../src/contract/index.js';
import type { Reader } from '../../src/store/reads/reader.js';
import { storeReads } from '../../src/store/reads/store-reads.js';
import { answered, type Connection, connectionOf } from '../../src/store/sqlite/connection.js';
import { closeDatabase, openDatabase } from '../../src/store/sqlite/open.js';
import { readerPool } from '../../src/store/sqlite/pools.js';
import { REFUSING_TABLES } from '../../src/store/sqlite/write.js';
import { Writer } from '../../src/store/sqlite/writer.js';
import { changeSet, insert, laneRow, legRow, move, quoteRow, requestRow } from '../../src/testing/store-fixtures.js';
import { clock, log, metrics, type SqliteHarness, sqliteHarness } from './sqlite-harness.js';

let harness: SqliteHarness;
let database: sqlite3.Database;
let connection: Connection;
let writer: Writer;
let reader: Knex;

/** A hundredth of each sleep. */
const hasty: Clock = { ...clock, sleep: (ms) => clock.sleep(ms / 100) };

beforeEach(async () => {
  harness = await sqliteHarness();
  database = await openDatabase(harness.file, sqlite3.OPEN_READWRITE);
  connection = connectionOf(database);
  await connection.all('pragma busy_timeout = 10');
  for (const table of REFUSING_TABLES) await connection.run(table);
  writer = new Writer({ connection, clock: hasty, log, metrics });
  reader = readerPool(harness.file, log);
});

afterEach(async () => {
  await writer.close();
  await reader.destroy();
  await closeDatabase(database);
  await harness.dispose();
});

/** Rows of several tables that must be atomic. */
function life(n: number, weight = 1): Change[] {
  const body = JSON.stringify({ text: 'x'.repeat(weight) });
  return [
    insert('requests', requestRow(n, { body })),
    insert('legs', legRow(n)),
    move(`group-${n}`, 'from', 'to', 1n),
    { op: 'count', account: '#lives', by: 1n },
  ];
}

async function expectLives(count: number): Promise<void> {
  // A foreign writer gives the store no hints.
  const read = <T>(task: (reader: Reader) => Promise<T>) => task(reader);
  const store = storeReads({ read, readTogether: read, readSearch: read, hidden: () => [] });
  const requests = await store.unsettled(10_000);
  const legs = await store.legsOfRequests(requests.map((row) => row.id));
  const pots = await Promise.all(['#lives', 'to', 'from'].map((account) => store.pot(account)));
  expect([requests.length, legs.length, ...pots]).toEqual([count, count, BigInt(count), BigInt(count), BigInt(-count)]);
}

const reasonOf = (outcome: PromiseSettledResult<ApplyOutcome>): unknown =>
  outcome.status === 'rejected' ? outcome.reason : outcome.value;

describe('a database that another program keeps locked', () => {
  it('rejects in words, writes nothing, and goes on when the lock is gone', async () => {
    const other = await openDatabase(harness.file, sqlite3.OPEN_READWRITE);
    await connectionOf(other).run('begin immediate');
    const outcomes = await Promise.allSettled([1, 2].map((n) => writer.apply(changeSet(...life(n)))));
    for (const outcome of outcomes) {
      expect(String(reasonOf(outcome))).toMatch(/nothing was written: another program .*locked.*SQLITE_BUSY/);
      expect(reasonOf(outcome)).toBeInstanceOf(StoreUnavailableError);
    }
    const quote = await Promise.allSettled([writer.apply(changeSet(insert('quotes', quoteRow(1))))]);
    expect(quote.map(reasonOf)[0]).toBeInstanceOf(StoreUnavailableError);
    expect(String(quote.map(reasonOf))).toMatch(/nothing was written: another program/);
    await expect(writer.alone((own) => own.run('delete from lanes').then(() => undefined))).rejects.toThrow(
      StoreUnavailableError,
    );
    await expectLives(0);

    await connectionOf(other).run('rollback');
    await closeDatabase(other);
    expect(await writer.apply(changeSet(...life(1)))).toEqual({ ok: true });
    expect(await writer.apply(changeSet(insert('quotes', quoteRow(1))))).toEqual({ ok: true });
    await expectLives(1);
  });

  it('still answers reads', async () => {
    expect(await writer.apply(changeSet(insert('lanes', laneRow(1))))).toEqual({ ok: true });
    const other = await openDatabase(harness.file, sqlite3.OPEN_READWRITE);
    await connectionOf(other).run('begin immediate');
    await connectionOf(other).run('delete from lanes');
    expect(await harness.store.lanes()).toEqual([laneRow(1)]);
    await closeDatabase(other);
  });
});

describe('a read that the database cannot serve', () => {
  it('says that it is the database, and not what was asked', async () => {
    const file = `${harness.file}.text`;
    await writeFile(file, 'this is no database, whatever its name says. '.repeat(100));
    const broken = await openDatabase(file, sqlite3.OPEN_READONLY);
    const read = (sql: string) => answered(() => connectionOf(broken).all(sql));
    await expect(read('select * from lanes')).rejects.toThrow(StoreUnavailableError);
    await expect(read('no sql')).rejects.not.toThrow(StoreUnavailableError);
    await closeDatabase(broken);
  });
});

describe('a disk that is full', () => {
  /** Spare pages, or no limit. */
  async function room(pages: number): Promise<void> {
    const [row] = await connection.all('pragma page_count');
    await connection.all(`pragma max_page_count = ${pages < 0 ? 1_073_741_823 : Number(row?.['page_count']) + pages}`);
  }

  it('rejects in words, leaves each set whole or out, and goes on when there is room', async () => {
    await room(20);
    let written = 0;
    let refused: unknown;
    for (let n = 1; refused === undefined && n < 100; n += 1) {
      const [outcome] = await Promise.allSettled([writer.apply(changeSet(...life(n, 10_000)))]);
      if (outcome?.status === 'fulfilled') written += 1;
      else refused = outcome?.reason;
    }
    expect(written).toBeGreaterThan(0);
    expect(String(refused)).toMatch(/nothing was written: there is no room left on the disk.*SQLITE_FULL/);
    expect(refused).toBeInstanceOf(StoreUnavailableError);
    await expectLives(written);

    const group = await Promise.allSettled([200, 201].map((n) => writer.apply(changeSet(...life(n, 30_000)))));
    expect(group.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    await expectLives(written);

    await room(-1);
    expect(await writer.apply(changeSet(...life(200, 10_000)))).toEqual({ ok: true });
    await expectLives(written + 1);
    const again = await harness.reopen();
    expect((await again.unsettled(10_000)).length).toBe(written + 1);
  });

  it('leaves a quote that found no room unknown, and nothing of it in the database', async () => {
    await room(2);
    const body = JSON.stringify({ text: 'x'.repeat(50_000) });
    const quote = changeSet(insert('quotes', quoteRow(1, { body })));
    await expect(writer.apply(quote)).rejects.toThrow(CommitUnknownError);
    expect(await harness.store.quote(quoteRow(1).id)).toBeUndefined();
    await room(-1);
    expect(await writer.apply(quote)).toEqual({ ok: true });
  });
});
