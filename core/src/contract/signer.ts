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

/**
 * A program that holds keys and signs whole transactions with them, never digests or messages. Options name its accounts as
 * `remote:ID#ADDRESS`.
 */
export interface RemoteSigner {
  readonly id: string;
  /** Addresses that it has keys of, as it writes them. Rejects where it does not answer. */
  accounts(): Promise<readonly string[]>;
  /**
   * Rejects where it refuses or does not answer; it may have signed nevertheless.
   *
   * @param transaction as its chain family writes it for signers. @returns its answer, unchecked: the caller decodes and
   * compares it before any use.
   */
  sign(transaction: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Keys by reference: `env:NAME` or `file:PATH` (relative to the config file). Loose file permissions are refused. */
export interface Keys {
  /** Signer for a hex-encoded 32-byte secret. Errors name the reference, never the value. */
  secp256k1(reference: string): Secp256k1Signer;
  secret(reference: string): string;
}
