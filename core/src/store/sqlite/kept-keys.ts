import sqlite3 from 'sqlite3';
import type { UnixMs } from '../../contract/ids.js';
import { isAccepted, type KeyRights, narrowedKey } from '../../domain/narrowed-key.js';
import type { RawRow } from '../rows.js';
import { APPLICATION_ID, pragma } from './checks.js';
import { type Connection, connectionOf } from './connection.js';
import { closeDatabase, openDatabase } from './open.js';

interface StoredKey extends KeyRights {
  readonly id: string;
  readonly label: string;
}

export interface RestoredKeys {
  /** Rights withdrawn by the former database, still withdrawn. */
  readonly carried: readonly string[];
  /** Valid in the former database and missing in the backup: no longer usable. */
  readonly gone: readonly string[];
  /** Valid from now on without confirmation by a former database. */
  readonly unproven: readonly string[];
}

/** Null if the database is missing, foreign or unreadable. Its log must be settled before. */
export async function keysIn(file: string): Promise<readonly StoredKey[] | null> {
  const database = await openDatabase(file, sqlite3.OPEN_READONLY).catch(() => null);
  if (!database) return null;
  try {
    const connection = connectionOf(database);
    if (Number(await pragma(connection, 'application_id')) !== APPLICATION_ID) return null;
    const columns = ['id', 'name', 'integrator_id', ...Object.values(COLUMNS)].join(', ');
    return (await connection.all(`select ${columns} from api_keys order by created_at, id`)).map(keyOf);
  } catch {
    return null;
  } finally {
    await closeDatabase(database).catch(() => undefined);
  }
}

/**
 * Invariant: a key revoked, ended or narrowed after the backup never becomes valid silently: the former database's
 * withdrawal applies, and without one the key is listed as unproven.
 *
 * @param former null if unavailable. @param at time of the restore.
 */
export async function keepWithdrawn(
  connection: Connection,
  backup: readonly StoredKey[],
  former: readonly StoredKey[] | null,
  at: UnixMs,
): Promise<RestoredKeys> {
  const known = new Map((former ?? []).map((key) => [key.id, key]));
  const carried: string[] = [];
  for (const key of backup) {
    const before = known.get(key.id);
    if (!before) continue;
    const { set, words } = narrowedKey(key, before);
    // guard: withdrawn-keys-after-restore
    if (words.length === 0) continue;
    for (const [name, value] of Object.entries(set)) {
      const column = COLUMNS[name as keyof KeyRights];
      await connection.run(`update api_keys set ${column} = ? where id = ?`, [value, key.id]);
    }
    await connection.run('update api_keys set version = version + 1 where id = ?', [key.id]);
    carried.push(`${named(key)}  ${words.join('  ')}`);
  }
  return { carried, ...compared(backup, former, at) };
}

export function compared(
  backup: readonly StoredKey[],
  former: readonly StoredKey[] | null,
  at: UnixMs,
): Pick<RestoredKeys, 'gone' | 'unproven'> {
  const [known, kept] = [former ?? [], backup].map((keys) => new Set(keys.map(({ id }) => id)));
  const accepted = (keys: readonly StoredKey[], but: ReadonlySet<string> | undefined) =>
    keys.filter((key) => isAccepted(key, at) && but?.has(key.id) !== true).map(named);
  return { gone: accepted(former ?? [], kept), unproven: accepted(backup, known) };
}

const COLUMNS: Readonly<Record<keyof KeyRights, string>> = {
  scopes: 'scopes',
  tier: 'tier',
  privateChains: 'private_chains',
  expiresAt: 'expires_at',
  revokedAt: 'revoked_at',
};

function named({ id, label }: StoredKey): string {
  return `${id}  ${label}`;
}

function keyOf(row: RawRow): StoredKey {
  const time = (value: unknown) => (value === null || value === undefined ? null : Number(value));
  return {
    id: String(row['id']),
    label: String(row['name'] ?? row['integrator_id']),
    scopes: String(row['scopes']),
    tier: row['tier'] === 'elevated' ? 'elevated' : 'default',
    privateChains: String(row['private_chains']),
    expiresAt: time(row['expires_at']),
    revokedAt: time(row['revoked_at']),
  };
}
