import sqlite3 from 'sqlite3';
import { connectionOf, isBusy } from './connection.js';
import { closeDatabase, openDatabase } from './open.js';
import { keepPrivate } from './private-file.js';

/** Another process holds the database. */
export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError';
}

/**
 * Locks a database for this process through an exclusive transaction on a side file. The operating system frees it
 * however the process ends, which a file with a process id in it would not survive. Two processes that hold the
 * database at once would both believe to be the only writer of its lanes.
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
    // Long enough for a predecessor that is on its way out.
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
