import { decodeAddress } from '../addresses.js';
import type { Network } from '../network.js';
import { base64Bytes } from './base64.js';
import { isSimple } from './bip322.js';
import { isClassic } from './classic.js';

/** Longer than any signature of one key. */
const MOST_CHARACTERS = 256;
/** BIP 322 lets a signature say of which kind it is. No witness of one key begins with these letters. */
const SIMPLE = /^smp/;

/**
 * Whether the key of an address signed this text: as `signmessage` and wallets do (`isClassic`), or by BIP 322 (`isSimple`).
 * Never throws: a text that is no signature is false. False for scripts of more than one key, too.
 */
export function verifyMessage(address: string, text: string, signature: string, network: Network): boolean {
  const parts = decodeAddress(address, network);
  const trimmed = signature.trim();
  if (parts === undefined || trimmed.length > MOST_CHARACTERS) return false;
  const bytes = base64Bytes(trimmed.replace(SIMPLE, ''));
  if (bytes === undefined) return false;
  try {
    // A witness of this length would begin with its number of items.
    return bytes.length === 65 ? isClassic(parts, text, bytes, network) : isSimple(parts, text, bytes);
  } catch {
    // What the libraries and the reader say of bytes that are none.
    return false;
  }
}
