import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Network } from '../network.js';
import type { OwnAddressType } from '../options.js';
import { outputSigner } from '../signer.js';

/** Roles of the solver's keys on local chains. */
export type KeyRole = 'bvm-fill' | 'bvm-depository';

export interface KeyFile {
  /** Key reference for the configuration. */
  readonly reference: string;
  /** Address of the role on a network. */
  address(network: Network, type: OwnAddressType): string;
}

/**
 * Key of a role: read from `<role>.key`, or made once and written there (hex, mode 0600, in a folder of mode 0700). One key
 * serves all local chains: each spells its address in its own way.
 *
 * @throws when the file holds something else than a key.
 */
export function keyFile(keysDir: string, role: KeyRole): KeyFile {
  const path = join(keysDir, `${role}.key`);
  mkdirSync(keysDir, { recursive: true, mode: 0o700 });
  // Any 32 bytes are a key, but for so few that nobody draws them.
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
