import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export function privateFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  return path;
}

/** Atomic: readers see the old or the new content. Mode 0600 from the first byte. */
export function writePrivate(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}

export function keepSecret(path: string, prefix: string): string {
  privateFolder(dirname(path));
  try {
    const kept = readFileSync(path, 'utf8').trim();
    chmodSync(path, 0o600);
    if (kept !== '') return kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const made = `${prefix}${randomBytes(32).toString('hex')}`;
  writePrivate(path, `${made}\n`);
  return made;
}
