import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { TestAccount } from './accounts.js';

export type KeyRole = 'fill' | 'allocator' | 'sweeper' | 'executor' | 'order';

export interface KeyFile extends TestAccount {
  readonly reference: string;
}

/**
 * Read from `<role>.key`, or generated and written there (hex, mode 0600, in a folder of mode 0700).
 *
 * @throws when the file holds something other than a key.
 */
export function keyFile(keysDir: string, role: KeyRole): KeyFile {
  const path = join(keysDir, `${role}.key`);
  mkdirSync(keysDir, { recursive: true, mode: 0o700 });
  if (!existsSync(path)) writeFileSync(path, `${generatePrivateKey()}\n`, { mode: 0o600, flag: 'wx' });
  const privateKey = readFileSync(path, 'utf8').trim() as Hex;
  if (!/^0x[0-9a-f]{64}$/i.test(privateKey)) throw new Error(`${path} does not hold a key (0x and 64 hex digits)`);
  return { address: privateKeyToAccount(privateKey).address, privateKey, reference: `file:${path}` };
}
