import type { Knex } from 'knex';
import { initial } from './0001-initial.js';
import { safety } from './0002-safety.js';
import { listing } from './0003-listing.js';
import { integrators } from './0004-integrators.js';
import { clientMetadata } from './0005-client-metadata.js';
import { lateChanges } from './0006-late-changes.js';
import { amounts } from './0007-amounts.js';
import { unconfirmed } from './0008-unconfirmed.js';
import { claims } from './0009-claims.js';
import { unpaidQuotes } from './0010-unpaid-quotes.js';
import { ownColumns } from './0011-own-columns.js';
import { feeClaims } from './0012-fee-claims.js';
import { earmarks } from './0015-earmarks.js';
import { executions } from './0017-executions.js';
import { swappedDeposits } from './0018-swapped-deposits.js';
import { deliveries } from './0019-deliveries.js';
import { registeredEndpoints } from './0020-registered-endpoints.js';
import { deliveriesOver } from './0021-deliveries-over.js';
import { requestsOfKey } from './0022-requests-of-key.js';
import type { Migration } from './migration.js';

/** Oldest first. They run on SQLite and PostgreSQL alike. */
export const MIGRATIONS: readonly Migration[] = [
  initial,
  safety,
  listing,
  integrators,
  clientMetadata,
  lateChanges,
  amounts,
  unconfirmed,
  claims,
  unpaidQuotes,
  ownColumns,
  feeClaims,
  earmarks,
  executions,
  swappedDeposits,
  deliveries,
  registeredEndpoints,
  deliveriesOver,
  requestsOfKey,
];

export interface MigrateOptions {
  readonly also?: readonly Migration[];
  /** No other process can be migrating: an existing lock was left by one that died. */
  readonly alone?: boolean;
}

/** Brings the schema up to date. Rejects when the database is newer than this program. */
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
