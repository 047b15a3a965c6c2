import { decodeAddress } from '../addresses.js';
import type { Network } from '../network.js';
import { base64Bytes } from './base64.js';
import { isSimple } from './bip322.js';
import { isClassic } from './classic.js';

/** Longer than any single-key signature. */
const MAX_CHARACTERS = 256;
/** Optional BIP 322 type prefix. No single-key witness begins with these letters. */
const SIMPLE = /^smp/;

/**
 * Accepts `signmessage` signatures (`isClassic`) and BIP 322 (`isSimple`) of single keys. Never throws: malformed
 * signatures are false.
 */
export function verifyMessage(address: string, text: string, signature: string, network: Network): boolean {
  const parts = decodeAddress(address, network);
  const trimmed = signature.trim();
  if (parts === undefined || trimmed.length > MAX_CHARACTERS) return false;
  const bytes = base64Bytes(trimmed.replace(SIMPLE, ''));
  if (bytes === undefined) return false;
  try {
    // A BIP 322 witness never has this length.
    return bytes.length === 65 ? isClassic(parts, text, bytes, network) : isSimple(parts, text, bytes);
  } catch {
    return false;
  }
}
