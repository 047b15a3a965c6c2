import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { backupDatabase, restoreDatabase } from '../../src/store/index.js';
import { changeSet, insert, metaRow } from '../../src/testing/store-fixtures.js';
import { type SqliteHarness, sqliteHarness } from './sqlite-harness.js';

const AT = 1_700_000_000_000;

const ended = vi.hoisted(() => ({ midway: false }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const rename: typeof real.rename = async (from, to) => {
    if (ended.midway && String(from).endsWith('.partial')) throw new Error('killed');
    await real.rename(from, to);
  };
  return { ...real, rename };
});

let harness: SqliteHarness;

beforeEach(async () => {
  harness = await sqliteHarness();
});

afterEach(async () => {
  ended.midway = false;
  await harness.dispose();
});

it('a restore that ends before its last step leaves the former database, whole', async () => {
  const copy = join(dirname(harness.file), 'copy.db');
  const write = (n: number) => harness.store.apply(changeSet(insert('meta', metaRow(n))));
  await write(1);
  await backupDatabase(harness.file, copy);
  await write(2);
  await harness.store.close();

  ended.midway = true;
  await expect(restoreDatabase(copy, harness.file, { label: 'first', at: AT })).rejects.toThrow('killed');
  const former = await harness.reopen();
  expect(await former.meta(metaRow(2).key)).toBeDefined();
  await former.close();

  ended.midway = false;
  await restoreDatabase(copy, harness.file, { label: 'second', at: AT });
  const restored = await harness.reopen();
  expect(await restored.meta(metaRow(1).key)).toBeDefined();
  expect(await restored.meta(metaRow(2).key)).toBeUndefined();
});
