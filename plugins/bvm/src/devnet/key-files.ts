import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Network } from '../network.js';
import type { OwnAddressType } from '../options.js';
import { outputSigner } from '../signer.js';

export type KeyRole = 'bvm-fill' | 'bvm-depository' | 'bvm-addresses';

export interface KeyFile {
  /** Key reference for the configuration. */
  readonly reference: string;
  address(network: Network, type: OwnAddressType): string;
}

/**
 * Read from `<role>.key`, or generated and written there (hex, mode 0600, in a folder of mode 0700). One key serves
 * all local chains.
 *
 * @throws when the file holds something other than a key.
 */
export function keyFile(keysDir: string, role: KeyRole): KeyFile {
  const path = join(keysDir, `${role}.key`);
  mkdirSync(keysDir, { recursive: true, mode: 0o700 });
  // Practically all 32-byte values are valid keys.
  if (!existsSync(path)) writeFileSync(path, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  const secret = readFileSync(path, 'utf8');
  return {
    reference: `file:${path}`,
    address: (network, type) => {
      try {
        return outputSigner(secret, type, network).address;
      } catch (cause) {
        throw new Error(`${path} does not hold a key`, { cause });
      }
    },
  };
}
