import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import bs58 from 'bs58';

/** Signs with one ed25519 key, which never leaves it. */
export interface Ed25519Signer {
  /** Public key, base58. */
  readonly address: string;
  /** 64 bytes, deterministic. */
  sign(message: Uint8Array): Uint8Array;
}

/** PKCS #8 prefix of an ed25519 seed (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED = 32;

/**
 * Reads base58 or a JSON array of 64 bytes (seed and public key) or of the seed, and hex of the seed. Errors never
 * contain the text.
 */
export function ed25519Signer(secret: string): Ed25519Signer {
  const bytes = keyBytes(secret);
  const signer = signerOfSeed(bytes.subarray(0, SEED));
  if (bytes.length === 2 * SEED && bs58.encode(bytes.subarray(SEED)) !== signer.address) {
    throw new RangeError('the secret is no ed25519 key: its second half is not the public key of its first');
  }
  return signer;
}

/** @param seed 32 bytes. */
export function signerOfSeed(seed: Uint8Array): Ed25519Signer {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const address = bs58.encode(publicBytes(key));
  return Object.freeze({ address, sign: (message: Uint8Array) => new Uint8Array(sign(null, message, key)) });
}

/** The 32 bytes of a key in any form of `ed25519Signer`. Errors never contain the text. */
export function seedOf(secret: string): Uint8Array {
  return keyBytes(secret).subarray(0, SEED);
}

function keyBytes(secret: string): Uint8Array {
  const bytes = secretBytes(secret.trim());
  if (bytes === undefined || (bytes.length !== SEED && bytes.length !== 2 * SEED)) {
    throw new RangeError('the secret is no ed25519 key: base58, a JSON array or hex of 32 or 64 bytes');
  }
  return bytes;
}

function publicBytes(key: KeyObject): Uint8Array {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return Buffer.from(x ?? '', 'base64url');
}

function secretBytes(text: string): Uint8Array | undefined {
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text.replace(/^0x/, ''), 'hex');
  if (!text.startsWith('[')) return bs58.decodeUnsafe(text);
  try {
    const list: unknown = JSON.parse(text);
    const isByte = (each: unknown): boolean =>
      Number.isInteger(each) && (each as number) >= 0 && (each as number) < 256;
    return Array.isArray(list) && list.every(isByte) ? Uint8Array.from(list as number[]) : undefined;
  } catch {
    return undefined;
  }
}
