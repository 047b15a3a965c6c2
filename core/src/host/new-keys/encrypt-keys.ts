import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { LoadedConfig } from '../config/load-config.js';
import { KEY_REFERENCE, KeyReferenceError } from '../keys.js';
import { isSealed, type Keystore } from '../keystore.js';
import { UnwritableKeysError } from './write-key.js';

const READABLE_BY_OTHERS = 0o077;

export interface EncryptedKey {
  readonly reference: string;
  readonly state: 'encrypted' | 'there' | 'missing' | 'environment';
}

/**
 * Encrypts the plain key files of a config, each whole or not at all.
 *
 * Invariant: a plain file is replaced only by an encrypted one that was written, read back and opened to the same text; a
 * failure before leaves it as it is. What the disk keeps of it, and copies, are not erased.
 *
 * @throws KeyReferenceError, UnwritableKeysError. Files that are encrypted by then stay so; a later run does the others.
 */
export function encryptKeys(
  config: Pick<LoadedConfig, 'directory' | 'keys'>,
  references: readonly string[],
): readonly EncryptedKey[] {
  return [...new Set(references)].map((reference) => {
    const path = KEY_REFERENCE.exec(reference)?.[2];
    if (path === undefined) return { reference, state: 'environment' };
    const file = resolve(config.directory, path);
    const text = textOf(file);
    if (text === undefined) return { reference, state: 'missing' };
    if (isSealed(text)) {
      // With another passphrase the service could not start.
      config.keys.secret(reference);
      return { reference, state: 'there' };
    }
    if ((statSync(file).mode & READABLE_BY_OTHERS) !== 0 && process.platform !== 'win32')
      throw new KeyReferenceError(reference, `key file ${path} may be read by others`, `run: chmod 600 ${file}`);
    replaceBySealed(realpathSync(file), text, config.keys.keystore(reference));
    return { reference, state: 'encrypted' };
  });
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function replaceBySealed(file: string, text: string, keystore: Keystore): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(handle, `${keystore.seal(text)}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    // guard: key-encrypted-reads-back
    if (keystore.open(readFileSync(temporary, 'utf8').trim()) !== text)
      throw new Error(`${file} was not encrypted: what was written for it cannot be read back`);
    renameSync(temporary, file);
    const folder = openSync(dirname(file), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    rmSync(temporary, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UnwritableKeysError(`${dirname(file)} cannot be written (${code}), so ${file} was not encrypted`);
  }
}
