import { copyFileSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { restoredAt } from '../../src/engine/recovery/restored.js';
import { backupDatabase, DatabaseInUseError, restoreDatabase } from '../../src/store/index.js';
import { changeSet, insert, metaRow } from '../../src/testing/store-fixtures.js';
import { type SqliteHarness, sqliteHarness, storeOn } from './sqlite-harness.js';

const AT = 1_700_000_000_000;

let harness: SqliteHarness;

beforeEach(async () => {
  harness = await sqliteHarness();
});

afterEach(async () => {
  await harness.dispose();
});

const extra = (name: string) => join(dirname(harness.file), name);
const write = (n: number) => harness.store.apply(changeSet(insert('meta', metaRow(n))));

describe('a backup', () => {
  it('is one committed snapshot, made while the service goes on writing', async () => {
    let running = true;
    let written = 0;
    const writing = (async () => {
      while (running) {
        await harness.store.apply(
          changeSet(insert('meta', metaRow(2 * written)), insert('meta', metaRow(2 * written + 1))),
        );
        written += 1;
      }
    })();
    while (written < 5) await new Promise((resolve) => setTimeout(resolve, 1));
    const bytes = await backupDatabase(harness.file, extra('copy.db'));
    running = false;
    await writing;

    expect(bytes).toBe(statSync(extra('copy.db')).size);
    expect(statSync(extra('copy.db')).mode & 0o777).toBe(0o600);
    const copy = storeOn(extra('copy.db'));
    await copy.open();
    let pairs = 0;
    while (await copy.meta(metaRow(2 * pairs).key)) {
      expect(await copy.meta(metaRow(2 * pairs + 1).key), 'half of a change set').toBeDefined();
      pairs += 1;
    }
    expect(pairs).toBeGreaterThanOrEqual(5);
    await copy.close();
  });

  it('never overwrites, and leaves nothing half-made behind', async () => {
    writeFileSync(extra('taken.db'), 'mine');
    await expect(backupDatabase(harness.file, extra('taken.db'))).rejects.toThrow('never overwrites');
    await expect(backupDatabase(extra('nothing.db'), extra('copy.db'))).rejects.toThrow('there is no database');
    writeFileSync(extra('foreign.db'), '');
    await expect(backupDatabase(extra('foreign.db'), extra('copy.db'))).rejects.toThrow(
      'not a database of this program',
    );
    expect(readdirSync(dirname(harness.file))).not.toContain('copy.db');
  });
});

describe('a restore', () => {
  it('puts the backup in place and moves what was there away, and the service goes on from it', async () => {
    await write(1);
    await backupDatabase(harness.file, extra('copy.db'));
    await write(2);
    await harness.store.close();
    const { onHold } = await restoreDatabase(extra('copy.db'), harness.file, { label: 'restore', at: AT });
    const store = await harness.reopen();
    expect(await store.meta(metaRow(1).key)).toBeDefined();
    expect(await store.meta(metaRow(2).key)).toBeUndefined();
    expect(await restoredAt(store)).toBe(AT);
    expect(await store.apply(changeSet(insert('meta', metaRow(3))))).toEqual({ ok: true });

    const former = storeOn(onHold ?? '');
    await former.open();
    expect(await former.meta(metaRow(2).key)).toBeDefined();
    await former.close();
  });

  it('takes nothing from the log of a database that was moved away before', async () => {
    await write(1);
    await backupDatabase(harness.file, extra('copy.db'));
    await write(2);
    // Leftovers of an interrupted restore.
    copyFileSync(`${harness.file}-wal`, `${extra('moved.db')}-wal`);
    const { onHold } = await restoreDatabase(extra('copy.db'), extra('moved.db'), { label: 'again', at: AT });
    expect(onHold).toBeNull();
    const store = storeOn(extra('moved.db'));
    await store.open();
    expect(await store.meta(metaRow(1).key)).toBeDefined();
    expect(await store.meta(metaRow(2).key)).toBeUndefined();
    await store.close();
  });

  it('is refused while a service has the database open', async () => {
    await backupDatabase(harness.file, extra('copy.db'));
    await expect(restoreDatabase(extra('copy.db'), harness.file, { label: 'x', at: AT })).rejects.toThrow(
      DatabaseInUseError,
    );
  });

  it('is refused for what is damaged, and changes nothing', async () => {
    for (let n = 0; n < 200; n += 1) await write(n);
    await backupDatabase(harness.file, extra('copy.db'));
    truncateSync(extra('copy.db'), 20_000);
    writeFileSync(extra('text.db'), 'not a database, but long enough to be looked into as if it were one');
    await harness.store.close();
    for (const bad of ['copy.db', 'text.db', 'missing.db']) {
      await expect(restoreDatabase(extra(bad), harness.file, { label: 'x', at: AT }), bad).rejects.toThrow(
        /damaged|cannot be read|there is no/,
      );
    }
    const store = await harness.reopen();
    expect(await store.meta(metaRow(199).key)).toBeDefined();
  });
});
