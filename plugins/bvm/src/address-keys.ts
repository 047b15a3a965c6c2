import { createHmac } from 'node:crypto';
import * as ecc from '@bitcoinerlab/secp256k1';
import type { Hex } from '@causeway/core';
import type { Network } from './network.js';
import { type OutputSigner, outputSigner, secretBytes } from './signer.js';
import type { Pot } from './transactions/draft.js';
import type { OwnType } from './transactions/sizes.js';

/** Keys of deposit addresses. */
export interface AddressKeys {
  /**
   * The same salt always gives the same key.
   *
   * @param salt of 32 bytes.
   */
  signer(salt: Hex): OutputSigner;
}

/** Keys of the pots, and those of deposit addresses, whose outputs belong to the depository. */
export type Signers = Readonly<Record<Pot, OutputSigner>> & { readonly addresses?: AddressKeys };

const PURPOSE = Buffer.from('causeway deposit address', 'latin1');
/** Deriving a key takes milliseconds, and check, signature and replacement of one collect need hundreds. */
const MAX_CACHED_KEYS = 1_000;
const SALT = /^0x[0-9a-f]{64}$/i;

/**
 * The key of a salt is HMAC-SHA256 under the secret of the purpose, the chain id (8 bytes, big endian) and the salt. A
 * digest that is no private key, one of 2^128, is replaced by its own HMAC-SHA256.
 *
 * @param secret in the format of the other keys.
 * @throws RangeError
 */
export function addressKeys(secret: string, chainId: number, type: OwnType, network: Network): AddressKeys {
  const master = secretBytes(secret, network);
  const chain = Buffer.alloc(8);
  chain.writeBigUInt64BE(BigInt(chainId));
  const digestOf = (data: Uint8Array): Buffer => createHmac('sha256', master).update(data).digest();
  const made = new Map<string, OutputSigner>();
  const make = (salt: Buffer): OutputSigner => {
    let key = digestOf(Buffer.concat([PURPOSE, chain, salt]));
    while (!ecc.isPrivate(key)) key = digestOf(key);
    return outputSigner(key.toString('hex'), type, network);
  };
  return Object.freeze({
    signer: (salt: Hex) => {
      if (!SALT.test(salt)) throw new RangeError(`not 32 bytes: ${salt}`);
      const bytes = Buffer.from(salt.slice(2), 'hex');
      const name = bytes.toString('latin1');
      const signer = made.get(name) ?? make(bytes);
      made.set(name, signer);
      for (const oldest of made.keys()) {
        if (made.size <= MAX_CACHED_KEYS) break;
        made.delete(oldest);
      }
      return signer;
    },
  });
}
