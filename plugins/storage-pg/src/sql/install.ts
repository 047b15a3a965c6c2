import type { Logger } from '@causeway/core';
import { migrate } from '@causeway/core/sql';
import type { Connections, Held } from '../connections/connections.js';
import { knexOn } from '../connections/knex-on.js';
import { type Calls, functions } from './functions.js';
import { type Recorded, recordHistory } from './history.js';
import { MIGRATIONS, TEXTS_WITH_A_LOCALE } from './migrations.js';
import { literal, type Names, quoted } from './names.js';

/** Thrown before anything is changed. */
export class UnsuitableDatabaseError extends Error {
  override readonly name = 'UnsuitableDatabaseError';
}

export type Installed = Recorded & { readonly calls: Calls };

/**
 * Processes that start at the same time take turns: the lock belongs to a session, so the server frees it however its
 * holder dies, and knex's own lock, which outlives its holder, is then known to be stale.
 *
 * @param connections at least two, without deadlines.
 * @param markAt when the ledger counts as restored if the server's history differs; null: never.
 */
export async function install(
  connections: Connections,
  names: Names,
  markAt: number | null,
  log: Logger,
): Promise<Installed> {
  const held = await connections.hold();
  try {
    await refuseUnsuitable(held);
    await held.query({ text: `select pg_advisory_lock(hashtext(${literal(`causeway ${names.schema}`)}))` });
    await createSchema(held, names);
    const knex = knexOn(connections, log);
    await migrate(knex, { also: MIGRATIONS, alone: true });
    await compareTextsByBytes(held, names);
    const recorded = await recordHistory(held, names, markAt);
    const { calls, create } = functions(names, recorded.history !== null);
    for (const statement of create) await held.query({ text: statement });
    await held.query({ text: `select pg_advisory_unlock(hashtext(${literal(`causeway ${names.schema}`)}))` });
    return { ...recorded, calls };
  } finally {
    held.release();
  }
}

async function refuseUnsuitable(held: Held): Promise<void> {
  const { rows } = await held.query({
    text:
      "select current_setting('server_version_num')::int as version, current_setting('server_version') as named, " +
      "current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby",
  });
  const { version, named, encoding, standby } = rows[0]!;
  if (Number(version) < 140_000) throw new UnsuitableDatabaseError(`PostgreSQL 14 or newer is needed, not ${named}`);
  if (encoding !== 'UTF8') throw new UnsuitableDatabaseError(`the database must be encoded in UTF8, not ${encoding}`);
  if (standby) throw new UnsuitableDatabaseError('the server is a standby and takes no writes; name the primary');
}

/** Only if missing: the role may lack the right to create schemas. */
async function createSchema(held: Held, { schema }: Names): Promise<void> {
  const { rowCount } = await held.query({ text: 'select 1 from pg_namespace where nspname = $1', values: [schema] });
  if (rowCount === 0) await held.query({ text: `create schema if not exists ${quoted(schema)}` });
}

async function compareTextsByBytes(held: Held, names: Names): Promise<void> {
  const { rows } = await held.query({ text: TEXTS_WITH_A_LOCALE, values: [names.schema] });
  const byTable = new Map<string, string[]>();
  for (const row of rows) {
    const table = String(row['table_name']);
    const change = `alter column ${quoted(String(row['column_name']))} type text collate "C"`;
    byTable.set(table, [...(byTable.get(table) ?? []), change]);
  }
  for (const [table, changes] of byTable) {
    await held.query({ text: `alter table ${names.table(table)} ${changes.join(', ')}` });
  }
}
