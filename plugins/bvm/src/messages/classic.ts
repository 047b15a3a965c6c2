import * as ecc from '@bitcoinerlab/secp256k1';
import { crypto } from 'bitcoinjs-lib';
import type { AddressParts } from '../addresses.js';
import { scriptOf } from '../addresses.js';
import type { Network } from '../network.js';
import { hash256 } from '../raw/hashes.js';

/** Header byte and signature. */
const BYTES = 65;
/** First header, four per form: the last two bits recover the key. */
const UNCOMPRESSED = 27;
const COMPRESSED = 31;
const IN_P2SH = 35;
const IN_P2WPKH = 39;
const END = 43;

/**
 * Verifies a compact, key-recovering signature: of `signmessage` (P2PKH), and of wallets for single-key segwit
 * addresses (P2WPKH, also in P2SH) with BIP 137 headers or, as in Electrum, that of a compressed P2PKH key.
 *
 * @throws if no key can be recovered.
 */
export function isClassic(parts: AddressParts, text: string, signature: Buffer, network: Network): boolean {
  const header = signature[0] ?? 0;
  if (signature.length !== BYTES || header < UNCOMPRESSED || header >= END) return false;
  const key = ecc.recover(
    textHash(text, network),
    signature.subarray(1),
    ((header - UNCOMPRESSED) & 3) as 0 | 1 | 2 | 3,
    header >= COMPRESSED,
  );
  if (key === null) return false;
  const hash = crypto.hash160(key);
  const { payload, type } = parts;
  const isOf = (first: number): boolean => header >= first && header < first + 4;
  switch (type) {
    case 'p2pkh':
      return header < IN_P2SH && same(hash, payload);
    case 'p2wpkh':
      return (isOf(IN_P2WPKH) || isOf(COMPRESSED)) && same(hash, payload);
    case 'p2sh':
      return (isOf(IN_P2SH) || isOf(COMPRESSED)) && same(nestedHash(hash), payload);
    default:
      return false;
  }
}

/** Hash in the P2SH address of a nested P2WPKH. */
export function nestedHash(keyHash: Uint8Array): Uint8Array {
  return crypto.hash160(scriptOf({ type: 'p2wpkh', payload: keyHash }));
}

export function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.from(a).equals(b);
}

/** The prefix binds a signature to its network. */
function textHash(text: string, { messagePrefix }: Network): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return hash256(Buffer.concat([Buffer.from(messagePrefix, 'latin1'), compact(bytes.length), bytes]));
}

function compact(length: number): Buffer {
  if (length < 0xfd) return Buffer.from([length]);
  const bytes = Buffer.alloc(length <= 0xffff ? 3 : 5);
  bytes[0] = length <= 0xffff ? 0xfd : 0xfe;
  if (length <= 0xffff) bytes.writeUInt16LE(length, 1);
  else bytes.writeUInt32LE(length, 1);
  return bytes;
}
