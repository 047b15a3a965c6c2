import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { PublicKey } from '@solana/web3.js';

/** An ed25519 key pair that signs outside of JavaScript, for tests that sign thousands of times. */
export interface NativeKeys {
  readonly publicKey: PublicKey;
  sign(message: Uint8Array): Uint8Array;
}

/** What stands before the 32 bytes of a seed in PKCS #8. */
const PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_BYTES = 32;

/** The pair that `Keypair.fromSeed` makes of the same 32 bytes. */
export function nativeKeys(seed: Uint8Array): NativeKeys {
  const secret = createPrivateKey({ key: Buffer.concat([PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' });
  return {
    publicKey: new PublicKey(spki.subarray(-KEY_BYTES)),
    sign: (message) => sign(null, message, secret),
  };
}
