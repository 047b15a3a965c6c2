import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { type Ed25519Signer, ed25519Signer } from '../signer.js';

export type KeyRole = 'svm-fill' | 'svm-vault' | 'svm-sweeper' | 'svm-addresses';

export interface KeyFile {
  readonly address: string;
  readonly signer: Ed25519Signer;
  /** Key reference for the configuration. */
  readonly reference: string;
}

/**
 * Reads `<role>.key`, or creates it (base58, mode 0600, in a folder of mode 0700).
 *
 * @throws when the file holds something else than a key.
 */
export function keyFile(keysDir: string, role: KeyRole): KeyFile {
  const path = join(keysDir, `${role}.key`);
  mkdirSync(keysDir, { recursive: true, mode: 0o700 });
  if (!existsSync(path))
    writeFileSync(path, `${bs58.encode(Keypair.generate().secretKey)}\n`, { mode: 0o600, flag: 'wx' });
  try {
    const signer = ed25519Signer(readFileSync(path, 'utf8'));
    return { address: signer.address, signer, reference: `file:${path}` };
  } catch (cause) {
    throw new Error(`${path} does not hold an ed25519 key`, { cause });
  }
}
