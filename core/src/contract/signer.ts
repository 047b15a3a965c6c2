import type { Hex } from './ids.js';

/**
 * Signs 32-byte digests with one secp256k1 key, which never leaves the implementation. `address`: last 20 bytes of
 * the keccak of the public key, lower-case hex.
 */
export interface Secp256k1Signer {
  readonly address: Hex;
  /** Recoverable signature over the raw digest; `s` is in the lower half. */
  sign(digest: Uint8Array): { readonly r: Uint8Array; readonly s: Uint8Array; readonly recovery: 0 | 1 };
}

/** Keys by reference: `env:NAME` or `file:PATH` (relative to the config file). Loose file permissions are refused. */
export interface Keys {
  /** Signer for a hex-encoded 32-byte secret. Errors name the reference, never the value. */
  secp256k1(reference: string): Secp256k1Signer;
  secret(reference: string): string;
}
