import { copyFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sqlite3 from 'sqlite3';
import { expect, it } from 'vitest';
import { backupDatabase, restoreDatabase } from '../../src/store/index.js';
import { type Connection, connectionOf } from '../../src/store/sqlite/connection.js';
import { closeDatabase, openDatabase } from '../../src/store/sqlite/open.js';
import { sqliteHarness } from './sqlite-harness.js';

const ROWS = 5_000;

async function on(file: string, work: (connection: Connection) => Promise<void>): Promise<void> {
  const database = await openDatabase(file, sqlite3.OPEN_READWRITE);
  await work(connectionOf(database));
  await closeDatabase(database);
}

it('a restore takes nothing from one that was killed while it marked another backup', async () => {
  const harness = await sqliteHarness();
  const extra = (name: string) => join(dirname(harness.file), name);
  await on(harness.file, async (connection) => {
    const rows = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${ROWS})`;
    await connection.run(`${rows} insert into meta (key, version, value) select 'row' || i, 1, 'old' from n`);
  });
  await backupDatabase(harness.file, extra('old.db'));
  await on(harness.file, async (connection) => {
    await connection.run("update meta set value = 'new' where value = 'old'");
  });
  await backupDatabase(harness.file, extra('new.db'));
  await harness.store.close();

  // Killed between journal and commit.
  copyFileSync(extra('old.db'), extra('killed.db'));
  await on(extra('killed.db'), async (connection) => {
    await connection.all('pragma cache_size = 1');
    await connection.run('begin');
    await connection.run("update meta set value = 'odd'");
    copyFileSync(extra('killed.db-journal'), `${harness.file}.partial-journal`);
    copyFileSync(extra('killed.db'), `${harness.file}.partial`);
  });

  await restoreDatabase(extra('new.db'), harness.file, { label: 'again', at: 1 });
  const store = await harness.reopen();
  const found = new Set<string | undefined>();
  for (let n = 1; n <= ROWS; n += 50) found.add((await store.meta(`row${n}`))?.value);
  expect([...found]).toEqual(['new']);
  expect(readdirSync(dirname(harness.file)).filter((name) => name.includes('.partial'))).toEqual([]);
  await harness.dispose();
});
