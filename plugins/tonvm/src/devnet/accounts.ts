import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyPairFromSeed } from '@ton/crypto';
import { type TonSigner, tonSigner } from '../wallet.js';

const USERS = 8;

export interface PublicAccount {
  readonly signer: TonSigner;
  readonly privateKey: string;
}

export function publicAccount(name: string): PublicAccount {
  const seed = createHash('sha256').update(`causeway devnet ton ${name}`).digest();
  const privateKey = keyPairFromSeed(seed).secretKey.toString('hex');
  return { privateKey, signer: tonSigner(privateKey) };
}

export const users: readonly PublicAccount[] = Array.from({ length: USERS }, (_, n) => publicAccount(`user ${n}`));

export const admin = publicAccount('admin');

export interface KeyFile {
  readonly signer: TonSigner;
  readonly reference: string;
}

/**
 * Reads `<role>.key`, or creates it (hex, mode 0600, in a folder of mode 0700).
 *
 * @throws when the file holds something else than a key.
 */
export function keyFile(keysDir: string, role: 'tonvm-fill' | 'tonvm-vault' | 'tonvm-sweeper'): KeyFile {
  const path = join(keysDir, `${role}.key`);
  mkdirSync(keysDir, { recursive: true, mode: 0o700 });
  if (!existsSync(path)) {
    const { secretKey } = keyPairFromSeed(randomBytes(32));
    writeFileSync(path, `${secretKey.toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  }
  try {
    return { signer: tonSigner(readFileSync(path, 'utf8')), reference: `file:${path}` };
  } catch (cause) {
    throw new Error(`${path} does not hold an ed25519 key`, { cause });
  }
}
