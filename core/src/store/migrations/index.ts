import type { Knex } from 'knex';
import { initial } from './0001-initial.js';
import { safety } from './0002-safety.js';
import type { Migration } from './migration.js';

/** All steps, oldest first. They run on SQLite and PostgreSQL alike. */
export const MIGRATIONS: readonly Migration[] = [initial, safety];

const source: Knex.MigrationSource<Migration> = {
  getMigrations: () => Promise.resolve([...MIGRATIONS]),
  getMigrationName: (migration) => migration.name,
  getMigration: (migration) => Promise.resolve(migration),
};

/** Brings the schema up to date. Does nothing when it is. Rejects when the database is newer than this program. */
export async function migrate(knex: Knex): Promise<void> {
  await knex.migrate.latest({ migrationSource: source, tableName: 'schema_migrations' });
}
