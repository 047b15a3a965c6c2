import { writeFile } from 'node:fs/promises';
import sqlite3 from 'sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectionOf } from '../../src/store/sqlite/connection.js';
import { closeDatabase, openDatabase } from '../../src/store/sqlite/open.js';
import { changeSet, insert, laneRow, quoteRow, requestId, requestRow } from '../../src/testing/store-fixtures.js';
import { log, type SqliteHarness, sqliteHarness, storeOn } from './sqlite-harness.js';

let harness: SqliteHarness;

beforeEach(async () => {
  harness = await sqliteHarness();
});

afterEach(() => harness.dispose());

/** Another program with the database open, such as a shell. */
async function outsider() {
  const database = await openDatabase(harness.file, sqlite3.OPEN_READWRITE);
  return { ...connectionOf(database), close: () => closeDatabase(database) };
}

describe('durability', () => {
  it('is full, and says so', async () => {
    expect(await harness.store.durability()).toEqual({ durable: true, journalMode: 'wal', synchronous: 'full' });
  });
});

describe('programs from outside', () => {
  it('that read for long disturb neither writes nor reads', async () => {
    const other = await outsider();
    await other.run('begin');
    expect(await other.all('select count(*) as n from requests')).toEqual([{ n: 0 }]);
    for (let n = 1; n <= 50; n += 1) await harness.store.apply(changeSet(insert('requests', requestRow(n))));
    expect(await other.all('select count(*) as n from requests')).toEqual([{ n: 0 }]);
    await other.run('commit');
    expect(await other.all('select count(*) as n from requests')).toEqual([{ n: 50 }]);
    await other.close();
  });

  it('that write are waited for', async () => {
    const other = await outsider();
    await other.run('begin immediate');
    const set = harness.store.apply(changeSet(insert('requests', requestRow(1))));
    const quote = harness.store.apply(changeSet(insert('quotes', quoteRow(1))));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await harness.store.request(requestId(1))).toBeUndefined();
    await other.run('commit');
    expect(await Promise.all([set, quote])).toEqual([{ ok: true }, { ok: true }]);
    await other.close();
  });

  it('cannot be another one that keeps its data here', async () => {
    const file = `${harness.file}.other`;
    const database = await openDatabase(file, sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE);
    await connectionOf(database).run('pragma application_id = 77');
    await closeDatabase(database);
    await expect(storeOn(file).open()).rejects.toThrow('belongs to another program');
  });

  it('have not damaged the file unnoticed', async () => {
    const file = `${harness.file}.text`;
    await writeFile(file, 'this is no database, whatever its name says. '.repeat(100));
    await expect(storeOn(file).open()).rejects.toThrow();
    // The lock is free again: the same error, not "in use".
    await expect(storeOn(file).open()).rejects.toThrow(/not a database/);
  });
});

describe('opening', () => {
  it('needs a file', () => {
    expect(() => storeOn(':memory:')).toThrow();
    expect(() => storeOn('')).toThrow();
  });

  it('is needed before anything else, and happens once', async () => {
    await expect(storeOn(`${harness.file}.new`).lanes()).rejects.toThrow('not open');
    await expect(harness.store.open()).rejects.toThrow('open already');
  });

  it('can be repeated after closing, and closing too', async () => {
    await harness.store.apply(changeSet(insert('lanes', laneRow(1))));
    await Promise.all([harness.store.close(), harness.store.close()]);
    await harness.store.open();
    expect(await harness.store.lanes()).toEqual([laneRow(1)]);
  });

  it('gives readers no way to write', async () => {
    const { readerPool } = await import('../../src/store/sqlite/pools.js');
    const readers = readerPool(harness.file, log);
    await expect(readers('lanes').insert({ id: 'x' })).rejects.toThrow(/readonly/);
    await readers.destroy();
  });
});

describe('leases', () => {
  it('are free once the file is opened again, because its holder has it alone', async () => {
    const [dead] = await harness.store.claimLeases(['service'], 'one', 3_600_000);
    const again = await harness.reopen();
    const [lease] = await again.claimLeases(['service'], 'two', 3_600_000);
    expect(lease?.token).toBeGreaterThan(dead?.token ?? Number.POSITIVE_INFINITY);
  });
});

describe('hidden chains', () => {
  it('keep their requests from those who were not granted them', async () => {
    await harness.dispose();
    harness = await sqliteHarness({ hiddenChains: () => [902, 903] });
    const { store } = harness;
    await store.apply(
      changeSet(
        insert('requests', requestRow(1, { originChainId: 901, destinationChainId: 904 })),
        insert('requests', requestRow(2, { originChainId: 902, destinationChainId: 904 })),
        insert('requests', requestRow(3, { originChainId: 901, destinationChainId: 903 })),
      ),
    );
    const search = async (hiddenChains: number[], chainId?: number) => {
      const all = chainId === undefined ? [] : [{ kind: 'is', field: 'chainId', values: [chainId] } as const];
      const filter = { all, hiddenChains };
      const page = await store.search({ filter, sortBy: 'createdAt', direction: 'asc', limit: 9, total: true });
      expect(page.total).toBe(page.rows.length);
      return page.rows.map((view) => view.request.id);
    };
    expect(await search([])).toEqual([requestId(1)]);
    expect(await search([902])).toEqual([1, 2].map(requestId));
    expect(await search([902, 903])).toEqual([1, 2, 3].map(requestId));
    expect(await search([], 903)).toEqual([]);
  });
});
