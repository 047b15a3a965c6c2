import { chmod, open } from 'node:fs/promises';

const OWNER_ALONE = 0o600;
const OF_OTHERS = 0o077;

/** What SQLite makes beside a database; it gives new ones the rights of the database. */
const BESIDE = ['-wal', '-shm'];

/**
 * Makes a database file, if there is none, that its owner alone may read and write, whatever the umask; takes the rights of
 * others away where it is there, and from what an older process left beside it. A ledger holds addresses, amounts and who
 * asked for what.
 */
export async function keepPrivate(file: string): Promise<void> {
  const handle = await open(file, 'a', OWNER_ALONE);
  try {
    const { mode } = await handle.stat();
    if ((mode & OF_OTHERS) !== 0) await handle.chmod(OWNER_ALONE).catch(unless('EPERM'));
  } finally {
    await handle.close();
  }
  for (const part of BESIDE) await chmod(file + part, OWNER_ALONE).catch(unless('ENOENT', 'EPERM'));
}

/** `EPERM`: the file belongs to another user, and that user decides who reads it. */
function unless(...codes: readonly string[]): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (!codes.includes(String(error.code))) throw error;
  };
}
