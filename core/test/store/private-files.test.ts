import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { backupDatabase, restoreDatabase } from '../../src/store/index.js';
import { changeSet, insert, metaRow } from '../../src/testing/store-fixtures.js';
import { type SqliteHarness, sqliteHarness, storeOn } from './sqlite-harness.js';

let harness: SqliteHarness;
let umask: number;

beforeEach(async () => {
  umask = process.umask(0);
  harness = await sqliteHarness();
});

afterEach(async () => {
  process.umask(umask);
  await harness.dispose();
});

/** Database files with permissions for others. */
function open(): readonly string[] {
  const folder = dirname(harness.file);
  return readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
}

it('keeps what it writes from other users, whatever the umask', async () => {
  await harness.store.apply(changeSet(insert('meta', metaRow(1))));
  expect(readdirSync(dirname(harness.file)).length).toBeGreaterThanOrEqual(3);
  expect(open()).toEqual([]);
});

it('takes the rights of others away where a database was readable before', async () => {
  await harness.store.apply(changeSet(insert('meta', metaRow(1))));
  await harness.store.close();
  // Left by a killed process.
  writeFileSync(`${harness.file}-wal`, '');
  for (const name of readdirSync(dirname(harness.file))) chmodSync(join(dirname(harness.file), name), 0o644);
  const again = storeOn(harness.file);
  await again.open();
  await again.apply(changeSet(insert('meta', metaRow(2))));
  expect(open()).toEqual([]);
  await again.close();
});

it('keeps backups from others, and what is restored', async () => {
  await harness.store.apply(changeSet(insert('meta', metaRow(1))));
  const copy = join(dirname(harness.file), 'copy.db');
  await backupDatabase(harness.file, copy);
  await harness.store.close();
  chmodSync(copy, 0o644);
  await restoreDatabase(copy, harness.file, { label: 'now', at: 1_700_000_000_000 });
  expect(open()).toEqual(['copy.db']);
});
