import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { PublicKey } from '@solana/web3.js';

export interface NativeKeys {
  readonly publicKey: PublicKey;
  sign(message: Uint8Array): Uint8Array;
}

/** PKCS #8 prefix of a seed. */
const PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_BYTES = 32;

/** Equals `Keypair.fromSeed`. */
export function nativeKeys(seed: Uint8Array): NativeKeys {
  const secret = createPrivateKey({ key: Buffer.concat([PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' });
  return {
    publicKey: new PublicKey(spki.subarray(-KEY_BYTES)),
    sign: (message) => sign(null, message, secret),
  };
}
