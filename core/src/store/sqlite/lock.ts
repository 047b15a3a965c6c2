import sqlite3 from 'sqlite3';
import { connectionOf, isBusy } from './connection.js';
import { closeDatabase, openDatabase } from './open.js';
import { keepPrivate } from './private-file.js';

export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError';
}

/**
 * The operating system releases the lock, an exclusive transaction on a side file, however the process ends. Two
 * processes with one database would both sign for its lanes.
 *
 * @returns a function that frees it.
 * @throws DatabaseInUseError naming the file.
 */
export async function lockDatabase(file: string): Promise<() => Promise<void>> {
  const lockFile = `${file}.lock`;
  await keepPrivate(lockFile);
  const database = await openDatabase(lockFile, sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE);
  const connection = connectionOf(database);
  try {
    // Long enough for a predecessor that is shutting down.
    await connection.run('pragma busy_timeout = 1000');
    await connection.all('pragma journal_mode = memory');
    await connection.run('begin exclusive');
  } catch (error) {
    await closeDatabase(database);
    if (!isBusy(error)) throw error;
    throw new DatabaseInUseError(`another process uses the database ${file} (it holds ${lockFile}); stop it first`);
  }
  return () => closeDatabase(database);
}
