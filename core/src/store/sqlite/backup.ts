import { constants } from 'node:fs';
import { access, chmod, copyFile, link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import sqlite3 from 'sqlite3';
import type { UnixMs } from '../../contract/ids.js';
import { RESTORED_MARK } from '../../domain/restored.js';
import { APPLICATION_ID, pragma } from './checks.js';
import { type Connection, connectionOf } from './connection.js';
import { compared, keepWithdrawn, keysIn, type RestoredKeys } from './kept-keys.js';
import { lockDatabase } from './lock.js';
import { closeDatabase, openDatabase } from './open.js';
import { keepPrivate } from './private-file.js';

/** A backup could not be made or used; the message says what to do. Nothing was changed. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export interface RestoreOptions {
  readonly label: string;
  readonly at: UnixMs;
  readonly keysAccepted?: boolean;
}

export interface Restored {
  readonly onHold: string | null;
  readonly keys: RestoredKeys;
}

/** Part of the database: the write-ahead log holds commits. */
const LOGS = ['-wal', '-shm'];

/**
 * Copies one committed snapshot, from any process, during writes. The copy gets its name only after a check and
 * fsync, so a partial backup is never mistaken for one.
 *
 * @returns its size in bytes.
 * @throws BackupError if the database is missing or the target exists.
 */
export async function backupDatabase(file: string, target: string): Promise<number> {
  const from = resolve(file);
  const to = resolve(target);
  if (!(await exists(from))) throw new BackupError(`there is no database ${from}`);
  if (await exists(to)) throw new BackupError(`${to} exists; a backup never overwrites`);
  await mkdir(dirname(to), { recursive: true });
  const partial = `${to}.partial`;
  await rm(partial, { force: true });
  await keepPrivate(partial);
  const database = await openDatabase(from, sqlite3.OPEN_READONLY);
  try {
    const connection = connectionOf(database);
    await connection.all('pragma busy_timeout = 10000');
    await connection.run('vacuum into ?', [partial]);
  } finally {
    await closeDatabase(database);
  }
  await checkBackup(partial);
  await publish(partial, to);
  return (await stat(to)).size;
}

/**
 * The former database is renamed, and the ledger is marked as restored, so that a service doubts what it may have
 * lost. API keys revoked by the former database stay revoked.
 *
 * @throws DatabaseInUseError while a service runs on it; BackupError for a damaged or foreign backup, or if it holds
 * valid keys that no former database confirms and `keysAccepted` is not set.
 */
export async function restoreDatabase(
  backup: string,
  file: string,
  { label, at, keysAccepted = false }: RestoreOptions,
): Promise<Restored> {
  const from = resolve(backup);
  const to = resolve(file);
  if (!(await exists(from))) throw new BackupError(`there is no backup ${from}`);
  await mkdir(dirname(to), { recursive: true });
  const unlock = await lockDatabase(to);
  try {
    await checkBackup(from);
    const had = await exists(to);
    if (had) await settleLog(to);
    const former = had ? await keysIn(to) : null;
    const partial = `${to}.partial`;
    // Logs of an interrupted restore would be replayed into this one.
    for (const part of [...LOGS, '-journal']) await rm(partial + part, { force: true });
    await keepPrivate(partial);
    await copyFile(from, partial);
    const kept = (await keysIn(partial)) ?? [];
    const { unproven } = compared(kept, former, at);
    if (unproven.length > 0 && !keysAccepted) {
      await rm(partial, { force: true });
      throw new BackupError(unvouched(unproven));
    }
    const keys = await mark(partial, at, (connection) => keepWithdrawn(connection, kept, former, at));
    await checkBackup(partial);
    const onHold = `${to}.before-${label}`;
    if (had) await link(to, onHold);
    // A log left without its database by an interrupted restore would be replayed into the backup.
    for (const part of LOGS) if (await exists(to + part)) await rename(to + part, onHold + part);
    // Until this step the former database is in place: a killed restore always leaves a database.
    await publish(partial, to);
    return { onHold: had ? onHold : null, keys };
  } finally {
    await unlock();
  }
}

async function settleLog(file: string): Promise<void> {
  const database = await openDatabase(file, sqlite3.OPEN_READWRITE);
  try {
    await connectionOf(database).all('pragma wal_checkpoint(truncate)');
  } catch {
  } finally {
    await closeDatabase(database).catch(() => undefined);
  }
}

async function mark<T>(file: string, at: UnixMs, also: (connection: Connection) => Promise<T>): Promise<T> {
  const database = await openDatabase(file, sqlite3.OPEN_READWRITE);
  try {
    const connection = connectionOf(database);
    await connection.all('pragma journal_mode = delete');
    await connection.run(
      'insert into meta (key, version, value) values (?, 1, ?) ' +
        'on conflict (key) do update set version = version + 1, ' +
        'value = cast(max(cast(value as integer), cast(excluded.value as integer)) as text)',
      [RESTORED_MARK, String(at)],
    );
    return await also(connection);
  } finally {
    await closeDatabase(database);
  }
}

function unvouched(keys: readonly string[]): string {
  return [
    'these API keys are accepted again, and no former database shows whether they were revoked since:',
    ...keys.map((key) => `  ${key}`),
    'to restore the backup anyway, use --yes; then revoke those that must not be accepted',
  ].join('\n');
}

async function checkBackup(file: string): Promise<void> {
  const database = await openDatabase(file, sqlite3.OPEN_READONLY);
  try {
    const connection = connectionOf(database);
    const owner = Number(await pragma(connection, 'application_id'));
    if (owner !== APPLICATION_ID) throw new BackupError(`${file} is not a database of this program`);
    const verdict = String(await pragma(connection, 'integrity_check(1)'));
    if (verdict !== 'ok') throw new BackupError(`${file} is damaged: ${verdict}`);
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  } finally {
    await closeDatabase(database);
  }
}

/** Renames after fsync; readable by the owner only. */
async function publish(partial: string, target: string): Promise<void> {
  await chmod(partial, 0o600);
  await sync(partial);
  await rename(partial, target);
  await sync(dirname(target));
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}
