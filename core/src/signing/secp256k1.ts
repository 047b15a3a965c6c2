import { createRequire } from 'node:module';
import { secp256k1 } from '@noble/curves/secp256k1';
import type { Secp256k1Signer } from '../contract/signer.js';
import { bytesToHex } from '../domain/hex.js';
import { keccak256 } from '../domain/keccak.js';

/** A curve implementation for signers. All give the same bytes: RFC 6979 nonces and low s. */
export interface Secp256k1Curve {
  isSecret(secret: Uint8Array): boolean;
  /** 65 bytes: 4, x, y. */
  publicKey(secret: Uint8Array): Uint8Array;
  /** `signature` is 64 bytes r, s. */
  sign(digest: Uint8Array, secret: Uint8Array): { readonly signature: Uint8Array; readonly recovery: number };
}

/** Pure JavaScript; 0.46 ms a signature. */
export const pureCurve: Secp256k1Curve = {
  isSecret: (secret) => secp256k1.utils.isValidPrivateKey(secret),
  publicKey: (secret) => secp256k1.getPublicKey(secret, false),
  sign: (digest, secret) => {
    const signed = secp256k1.sign(digest, secret, { lowS: true });
    return { signature: signed.toCompactRawBytes(), recovery: signed.recovery };
  },
};

/** The binding of the `secp256k1` package, which ships no types. */
interface Binding {
  privateKeyVerify(secret: Uint8Array): boolean;
  publicKeyCreate(secret: Uint8Array, compressed: boolean): Uint8Array;
  ecdsaSign(digest: Uint8Array, secret: Uint8Array): { readonly signature: Uint8Array; readonly recid: number };
}

let native: Secp256k1Curve | null | undefined;

/**
 * The native binding (0.04 ms a signature), or null where the optional package has none for this platform. Loads the
 * binding by name because the package's main entry falls back silently to a slow implementation.
 */
export function nativeCurve(): Secp256k1Curve | null {
  if (native === undefined) {
    try {
      const binding = createRequire(import.meta.url)('secp256k1/bindings.js') as Binding;
      native = {
        isSecret: (secret) => secret.length === 32 && binding.privateKeyVerify(secret),
        publicKey: (secret) => binding.publicKeyCreate(secret, false),
        sign: (digest, secret) => {
          const { signature, recid } = binding.ecdsaSign(digest, secret);
          return { signature, recovery: recid };
        },
      };
    } catch {
      native = null;
    }
  }
  return native;
}

/**
 * Signer for a 32-byte secret, which is copied and never leaves the closure. Throws on an invalid secret; the error
 * does not contain it.
 */
export function secp256k1Signer(
  secret: Uint8Array,
  curve: Secp256k1Curve = nativeCurve() ?? pureCurve,
): Secp256k1Signer {
  if (secret.length !== 32 || !curve.isSecret(secret)) throw new RangeError('the secret is not a secp256k1 key');
  const key = Uint8Array.from(secret);
  const address = bytesToHex(keccak256(curve.publicKey(key).subarray(1)).subarray(12));
  const signer: Secp256k1Signer = {
    address,
    sign(digest) {
      if (digest.length !== 32) throw new RangeError('a digest has 32 bytes');
      const { signature, recovery } = curve.sign(digest, key);
      if (recovery !== 0 && recovery !== 1) throw new Error('signature with an unusable recovery id');
      return { r: signature.slice(0, 32), s: signature.slice(32, 64), recovery };
    },
  };
  return Object.freeze(signer);
}
