import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { MIGRATIONS, migrate } from '../../src/store/migrations/index.js';
import { TABLES } from '../../src/store/schema.js';
import { writerPool } from '../../src/store/sqlite/pools.js';
import { changeSet, depositRow, holdRow, insert, laneRow, legRow } from '../../src/testing/store-fixtures.js';
import { log, type SqliteHarness, sqliteHarness } from './sqlite-harness.js';

let harness: SqliteHarness;

beforeEach(async () => {
  harness = await sqliteHarness();
});

afterEach(() => harness.dispose());

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
}

const AFFINITY = { text: 'TEXT', json: 'TEXT', big: 'TEXT', int: 'BIGINT', bool: 'BOOLEAN' } as const;

/** Database-only columns. */
const UNMAPPED: Readonly<Record<string, readonly string[]>> = {
  events: ['position'],
  transactions: ['position'],
  quotes: ['paid'],
};

describe('migrations', () => {
  it('make exactly the tables, columns, types and unique keys that rows are mapped to', async () => {
    const knex = writerPool(harness.file, log);
    try {
      for (const table of TABLES) {
        const columns = (await knex.raw(`pragma table_info("${table.name}")`)) as ColumnInfo[];
        const actual = columns.filter((column) => !UNMAPPED[table.name]?.includes(column.name));
        const described = table.columns.map((column) => [column.name, AFFINITY[column.type]]);
        expect(actual.map((column) => [column.name, column.type.toUpperCase()]).sort(), table.name).toEqual(
          described.sort(),
        );

        const indexes = (await knex.raw(`pragma index_list("${table.name}")`)) as { name: string; unique: number }[];
        const uniques: string[] = columns.some((column) => column.pk && column.type === 'bigint') ? ['chain_id'] : [];
        for (const index of indexes.filter((entry) => entry.unique === 1)) {
          const members = (await knex.raw(`pragma index_info("${index.name}")`)) as { name: string }[];
          uniques.push(members.map((member) => member.name).join());
        }
        const expected = table.uniques.map((unique) => unique.columns.map((column) => column.name).join());
        expect([...new Set(uniques)].sort(), table.name).toEqual(expected.sort());
      }
    } finally {
      await knex.destroy();
    }
  });

  it('can run again and again, and keep what is there', async () => {
    await harness.store.apply(changeSet(insert('lanes', laneRow(1))));
    await harness.reopen();
    const again = await harness.reopen();
    expect(await again.lanes()).toEqual([laneRow(1)]);
  });

  it('give the keys of an older database an integrator, every scope and the default rates', async () => {
    const knex = writerPool(harness.file, log);
    const at = MIGRATIONS.findIndex((migration) => migration.name === '0004-integrators');
    for (const migration of MIGRATIONS.slice(at).reverse()) await migration.down(knex);
    const key = { version: 1, prefix: 'cw_', scopes: '[]', integrator_id: 'config:app' };
    await knex('api_keys').insert({ ...key, id: 'key_1', hash: 'h1', name: 'app', created_at: 7 });
    await knex('api_keys').insert({ ...key, id: 'key_2', hash: 'h2', created_at: 5 });
    for (const migration of MIGRATIONS.slice(at)) await migration.up(knex);
    await knex.destroy();
    const store = await harness.reopen();
    expect(await store.apiKeyByHash('h1')).toMatchObject({
      scopes: '["*"]',
      tier: 'default',
      privateChains: '[]',
      expiresAt: null,
      replacedBy: null,
    });
    expect(await store.integrators()).toEqual([
      { id: 'config:app', version: 1, name: 'app', fundingAddress: null, createdAt: 5 },
    ]);
  });

  it('tell of the holds of an older database which transaction brought them', async () => {
    const deposit = depositRow(1);
    const held = { ...holdRow(1), fundingKey: deposit.fundingKey };
    await harness.store.apply(
      changeSet(insert('deposits', deposit), insert('holds', held), insert('holds', holdRow(2))),
    );
    const knex = writerPool(harness.file, log);
    const at = MIGRATIONS.findIndex((migration) => migration.name === '0009-claims');
    for (const migration of MIGRATIONS.slice(at).reverse()) await migration.down(knex);
    for (const migration of MIGRATIONS.slice(at)) await migration.up(knex);
    await knex.destroy();
    const store = await harness.reopen();
    expect(await store.hold('hold-1')).toEqual({ ...held, transactionHash: deposit.transactionHash });
    expect(await store.hold('hold-2')).toEqual({ ...holdRow(2), transactionHash: '' });
  });

  describe('columns that facts of legs and deposits got of their own', () => {
    const at = MIGRATIONS.findIndex((migration) => migration.name === '0011-own-columns');
    const waiting = { state: 'mempool', height: null, blockId: null, blockTime: null } as const;
    const rows = [
      legRow(1, { releasedBy: 'operator', reverts: 2, closings: 1, deadlineAt: null }),
      legRow(2, { releasedBy: 'depositor' }),
      legRow(3, { closings: 10 }),
      legRow(4, { reason: 'released by hand, as somebody wrote' }),
      legRow(5, { state: 'held', reason: 'unread', deadlineAt: null }),
    ];
    const outspent = depositRow(1, { ...waiting, rivalHeight: 7, rivalBlockId: 'b7' });

    it('are filled from what stood in their place, and the other way round', async () => {
      await harness.store.apply(changeSet(...rows.map((row) => insert('legs', row)), insert('deposits', outspent)));
      await harness.store.apply(
        changeSet(insert('deposits', depositRow(2, waiting)), insert('deposits', depositRow(3))),
      );
      const knex = writerPool(harness.file, log);
      for (const migration of MIGRATIONS.slice(at).reverse()) await migration.down(knex);
      const old = await knex('legs').select('reason', 'deadline_at').orderBy('id');
      expect(old.map(({ reason }: { reason: string | null }) => reason)).toEqual([
        'released reverted:2 closed:1',
        'signedFor',
        'reverted:0 closed:10',
        'released by hand, as somebody wrote',
        'unread',
      ]);
      expect(old[0]).toMatchObject({ deadline_at: Number.MAX_SAFE_INTEGER });
      expect(await knex('deposits').select('height', 'block_id').orderBy('funding_key')).toMatchObject([
        { height: 7, block_id: 'b7' },
        { height: null, block_id: null },
        { height: 103 },
      ]);
      for (const migration of MIGRATIONS.slice(at)) await migration.up(knex);
      await knex.destroy();
      const store = await harness.reopen();
      for (const row of rows) expect((await store.legs([row.id]))[0], row.id).toEqual(row);
      const { fundingKey } = outspent;
      expect(await store.deposits([fundingKey, depositRow(2).fundingKey, depositRow(3).fundingKey])).toEqual([
        outspent,
        depositRow(2, waiting),
        depositRow(3),
      ]);
    });
  });

  it('refuse a database that a newer program made', async () => {
    const knex = writerPool(harness.file, log);
    await knex('schema_migrations').insert({ name: '9999-future', batch: 2, migration_time: 0 });
    await expect(migrate(knex)).rejects.toThrow('9999-future');
    await knex.destroy();
    await expect(harness.reopen()).rejects.toThrow('9999-future');
  });

  it('can be taken back', async () => {
    const knex = writerPool(harness.file, log);
    for (const migration of [...MIGRATIONS].reverse()) await migration.down(knex);
    const left = (await knex.raw(`select name from sqlite_master where type = 'table' order by name`)) as {
      name: string;
    }[];
    expect(left.map((table) => table.name).filter((name) => !/^(sqlite_|schema_)/.test(name))).toEqual([]);
    for (const migration of MIGRATIONS) await migration.up(knex);
    await knex.destroy();
  });
});
