import sqlite3 from 'sqlite3';
import type { UnixMs } from '../../contract/ids.js';
import { isAccepted, type KeyRights, narrowedKey } from '../../domain/narrowed-key.js';
import type { RawRow } from '../rows.js';
import { APPLICATION_ID, pragma } from './checks.js';
import { type Connection, connectionOf } from './connection.js';
import { closeDatabase, openDatabase } from './open.js';

/** A key as a database has it. */
interface StoredKey extends KeyRights {
  readonly id: string;
  /** Of the key, or of its integrator; for people. */
  readonly label: string;
  /** Written before keys had rates, ends and private chains: of those columns there are none. */
  readonly plain: boolean;
}

/** What a restore did to API keys; each line names a key by its id. */
export interface RestoredKeys {
  /** Rights that the former database had withdrawn, and that stay so. */
  readonly carried: readonly string[];
  /** Accepted by the former database and unknown to the backup: nobody can use them any more. */
  readonly gone: readonly string[];
  /** Accepted from now on although no former database says that they still may be. */
  readonly unproven: readonly string[];
}

/**
 * API keys of a database; null where there is none, it is not one of ours, or it cannot be read. What its log holds was
 * written into it before.
 */
export async function keysIn(file: string): Promise<readonly StoredKey[] | null> {
  const database = await openDatabase(file, sqlite3.OPEN_READONLY).catch(() => null);
  if (!database) return null;
  try {
    const connection = connectionOf(database);
    if (Number(await pragma(connection, 'application_id')) !== APPLICATION_ID) return null;
    return (await connection.all('select * from api_keys order by created_at, id')).map(keyOf);
  } catch {
    return null;
  } finally {
    await closeDatabase(database).catch(() => undefined);
  }
}

/**
 * Takes from the keys of a backup, about to be put in place, what the former database had withdrawn.
 *
 * Invariant: a key that was revoked, ended or narrowed since the backup was made does not come back to life unsaid: it
 * stays so where the former database tells it, and is named as unproven where none does.
 *
 * @param former null when it is not at hand. @param at when the backup is put in place.
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
    if (words.length === 0) continue;
    const whole = key.plain && set.revokedAt === undefined ? { revokedAt: at } : set;
    for (const [name, value] of Object.entries(whole)) {
      const column = COLUMNS[name as keyof KeyRights];
      await connection.run(`update api_keys set ${column} = ? where id = ?`, [value, key.id]);
    }
    await connection.run('update api_keys set version = version + 1 where id = ?', [key.id]);
    carried.push(`${named(key)}  ${whole === set ? words.join('  ') : 'revoked'}`);
  }
  return { carried, ...compared(backup, former, at) };
}

/** Keys that only one of the two databases has. */
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
  const plain = !('tier' in row);
  return {
    id: String(row['id']),
    label: String(row['name'] ?? row['integrator_id']),
    plain,
    // As the migration has it that gave keys scopes.
    scopes: plain && row['scopes'] === '[]' ? '["*"]' : String(row['scopes']),
    tier: row['tier'] === 'elevated' ? 'elevated' : 'default',
    privateChains: plain ? '[]' : String(row['private_chains']),
    expiresAt: time(row['expires_at']),
    revokedAt: time(row['revoked_at']),
  };
}
