import * as ecc from '@bitcoinerlab/secp256k1';
import { crypto } from 'bitcoinjs-lib';
import type { AddressParts } from '../addresses.js';
import { scriptOf } from '../addresses.js';
import type { Network } from '../network.js';
import { hash256 } from '../raw/hashes.js';

/** A header byte, and the signature. */
const BYTES = 65;
/** Headers begin here, four for each form: the key's two coordinates are told by their last two bits. */
const UNCOMPRESSED = 27;
const COMPRESSED = 31;
/** BIP 137. */
const IN_P2SH = 35;
const IN_P2WPKH = 39;
const END = 43;

/**
 * Whether a compact signature, from which the key can be recovered, is of this text and this address: what `signmessage` of
 * nodes makes (P2PKH), and what wallets make of it for segwit addresses of one key (P2WPKH, and in P2SH), with the headers of
 * BIP 137 or, as Electrum and others do, with that of a compressed P2PKH key.
 *
 * @throws where the signature is none of any key.
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

/** What a P2SH address says whose script is that of a P2WPKH output. */
export function nestedHash(keyHash: Uint8Array): Uint8Array {
  return crypto.hash160(scriptOf({ type: 'p2wpkh', payload: keyHash }));
}

export function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.from(a).equals(b);
}

/** Each network begins its texts with words of its own, so that what is signed for one says nothing on another. */
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
