import type { Knex } from 'knex';
import { initial } from './0001-initial.js';
import { depositAddresses } from './0002-deposit-addresses.js';
import { appBalances } from './0003-app-balances.js';
import { books } from './0004-books.js';
import type { Migration } from './migration.js';

/** Oldest first. They run on SQLite and PostgreSQL alike. */
export const MIGRATIONS: readonly Migration[] = [initial, depositAddresses, appBalances, books];

export interface MigrateOptions {
  readonly also?: readonly Migration[];
  /** No other process can be migrating: an existing lock was left by one that died. */
  readonly alone?: boolean;
}

/** Migrates the schema to this version. Rejects when the database has steps that this program does not know. */
export async function migrate(knex: Knex, { also = [], alone = false }: MigrateOptions = {}): Promise<void> {
  const steps = [...MIGRATIONS, ...also];
  const migrationSource: Knex.MigrationSource<Migration> = {
    getMigrations: () => Promise.resolve(steps),
    getMigrationName: (migration) => migration.name,
    getMigration: (migration) => Promise.resolve(migration),
  };
  const config = { migrationSource, tableName: 'schema_migrations' };
  if (alone) await knex.migrate.forceFreeMigrationsLock(config);
  await knex.migrate.latest(config);
}
