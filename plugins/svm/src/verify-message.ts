import { createPublicKey, verify } from 'node:crypto';
import bs58 from 'bs58';
import { parseAddress } from './addresses.js';

/** SPKI prefix of an ed25519 public key (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const BYTES = 64;
const MAX_DIGITS = 88;

/**
 * Small-order public keys (order 1, 2, 4 and 8, and their other encodings, highest bit cleared), for which signatures
 * can be forged without a secret; the native sentinel is one. Validators refuse them, Node's verification does not.
 */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
]);

/**
 * Verifies a wallet's `signMessage`: ed25519 over the UTF-8 bytes without a prefix. The signature is base58 or base64
 * of 64 bytes. Never throws.
 */
export function verifyMessage(address: string, text: string, signature: string): boolean {
  if (!parseAddress(address).ok) return false;
  const key = bs58.decode(address);
  // guard: svm-weak-keys
  if (SMALL_ORDER.has(withoutSign(key))) return false;
  try {
    const publicKey = createPublicKey({ key: Buffer.concat([SPKI, key]), format: 'der', type: 'spki' });
    return spellings(signature).some((signed) => verify(null, Buffer.from(text, 'utf8'), publicKey, signed));
  } catch {
    // Not every 32 bytes are a curve point.
    return false;
  }
}

/** Without the sign bit of the x coordinate. */
function withoutSign(key: Uint8Array): string {
  const bytes = Buffer.from(key);
  bytes[31] = (bytes[31] ?? 0) & 0x7f;
  return bytes.toString('hex');
}

/** The 64-byte decodings: a few texts are valid base58 and base64. */
function spellings(text: string): readonly Uint8Array[] {
  if (text.length > MAX_DIGITS) return [];
  const short = bs58.decodeUnsafe(text);
  const long = /^[A-Za-z0-9+/]{86}(==)?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
  return [short, long].flatMap((bytes) => (bytes?.length === BYTES ? [bytes] : []));
}
