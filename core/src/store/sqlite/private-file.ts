import { chmod, open } from 'node:fs/promises';

const OWNER_ALONE = 0o600;
const OF_OTHERS = 0o077;

/** SQLite gives new ones the database's permissions. */
const COMPANIONS = ['-wal', '-shm'];

/** Readable by its owner only, whatever the umask; also corrects an existing file and its logs. */
export async function keepPrivate(file: string): Promise<void> {
  const handle = await open(file, 'a', OWNER_ALONE);
  try {
    const { mode } = await handle.stat();
    if ((mode & OF_OTHERS) !== 0) await handle.chmod(OWNER_ALONE).catch(unless('EPERM'));
  } finally {
    await handle.close();
  }
  for (const part of COMPANIONS) await chmod(file + part, OWNER_ALONE).catch(unless('ENOENT', 'EPERM'));
}

/** `EPERM`: the file belongs to another user, who decides its permissions. */
function unless(...codes: readonly string[]): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (!codes.includes(String(error.code))) throw error;
  };
}
