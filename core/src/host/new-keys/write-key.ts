import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** The folder of keys cannot be written, so that no key was made there. */
export class UnwritableKeysError extends Error {
  override readonly name = 'UnwritableKeysError';
}

/**
 * Whole or not at all, mode 0600 from the first byte, durable before its address is shown. False: a file is there.
 *
 * Invariant: an existing file is never replaced.
 *
 * @throws UnwritableKeysError
 */
export function writeNewKey(file: string, text: string): boolean {
  try {
    return write(file, text);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    const folder = dirname(file);
    throw new UnwritableKeysError(
      `${folder} cannot be written (${code}), so no key was made there: make it writable, then run it again`,
    );
  }
}

function write(file: string, text: string): boolean {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(handle, `${text}\n`);
    fsyncSync(handle);
    // guard: key-never-overwritten
    linkSync(temporary, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    closeSync(handle);
    rmSync(temporary, { force: true });
  }
}
