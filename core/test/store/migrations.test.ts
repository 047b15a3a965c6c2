import type { Knex } from 'knex';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { MIGRATIONS, migrate } from '../../src/store/migrations/index.js';
import type { Migration } from '../../src/store/migrations/migration.js';
import { TABLES } from '../../src/store/schema.js';
import { writerPool } from '../../src/store/sqlite/pools.js';
import { changeSet, insert, laneRow } from '../../src/testing/store-fixtures.js';
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
  addresses: ['position'],
  quotes: ['paid'],
};

const extra: Migration = {
  name: '9998-extra',
  async up(knex) {
    await knex.raw('create table extra (id text primary key)');
  },
  async down(knex) {
    await knex.raw('drop table extra');
  },
};

async function tablesOf(knex: Knex): Promise<string[]> {
  const tables = await knex.raw(`select name from sqlite_master where type = 'table' order by name`);
  return (tables as { name: string }[]).map(({ name }) => name);
}

async function stepsOf(knex: Knex): Promise<string[]> {
  return knex('schema_migrations').orderBy('id').pluck('name');
}

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

  it('run once, each step recorded', async () => {
    const knex = writerPool(harness.file, log);
    await migrate(knex);
    expect(await stepsOf(knex)).toEqual(MIGRATIONS.map(({ name }) => name));
    await knex.destroy();
  });

  it('are refused while another process holds their lock, unless the lock is known to be stale', async () => {
    const knex = writerPool(harness.file, log);
    await knex('schema_migrations_lock').update({ is_locked: 1 });
    await expect(migrate(knex, { also: [extra] })).rejects.toThrow('lock');
    expect(await tablesOf(knex)).not.toContain('extra');
    await migrate(knex, { also: [extra], alone: true });
    expect(await tablesOf(knex)).toContain('extra');
    await knex.destroy();
  });

  it('leave nothing of a step that fails, and can run after it', async () => {
    const knex = writerPool(harness.file, log);
    const broken: Migration = {
      ...extra,
      async up(transaction) {
        await extra.up(transaction);
        throw new Error('broken off');
      },
    };
    await expect(migrate(knex, { also: [broken] })).rejects.toThrow('broken off');
    expect(await tablesOf(knex)).not.toContain('extra');
    expect(await stepsOf(knex)).toEqual(MIGRATIONS.map(({ name }) => name));
    await migrate(knex, { also: [extra] });
    expect(await tablesOf(knex)).toContain('extra');
    await knex.destroy();
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
    expect((await tablesOf(knex)).filter((name) => !/^(sqlite_|schema_)/.test(name))).toEqual([]);
    for (const migration of MIGRATIONS) await migration.up(knex);
    await knex.destroy();
  });
});
