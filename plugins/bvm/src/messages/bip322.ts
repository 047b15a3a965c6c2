import { hash } from 'node:crypto';
import * as ecc from '@bitcoinerlab/secp256k1';
import { crypto, script as scripts, Transaction } from 'bitcoinjs-lib';
import { type AddressParts, scriptOf } from '../addresses.js';
import { Reader } from '../raw/reader.js';
import { nestedHash, same } from './classic.js';

/** Tagged hash (BIP 340). */
const TAG = hash('sha256', 'BIP0322-signed-message', 'buffer');
const RETURN = Buffer.from([0x6a]);
/** Upper bounds of a single-key signature. */
const MAX_ITEMS = 2;
const KEY_BYTES = 33;

/**
 * Verifies a BIP 322 `simple` signature: the witness of a virtual transaction that only the address's key can sign.
 * Single-key outputs only: P2WPKH, also in P2SH, and P2TR key path.
 *
 * @throws for malformed witnesses or signatures.
 */
export function isSimple(parts: AddressParts, text: string, signature: Buffer): boolean {
  const items = witnessOf(signature);
  const script = scriptOf(parts);
  const toSign = transactionOf(script, text);
  switch (parts.type) {
    case 'p2wpkh':
      return isOfKey(toSign, items, (keyHash) => same(keyHash, parts.payload));
    case 'p2sh':
      return isOfKey(toSign, items, (keyHash) => same(nestedHash(keyHash), parts.payload));
    case 'p2tr':
      return isOfOutput(toSign, items, script, parts.payload);
    default:
      return false;
  }
}

function isOfKey(toSign: Transaction, items: readonly Buffer[], isTheirs: (keyHash: Uint8Array) => boolean): boolean {
  const [reported, key, more] = items;
  if (reported === undefined || key?.length !== KEY_BYTES || more !== undefined) return false;
  const payload = crypto.hash160(key);
  if (!isTheirs(payload)) return false;
  const { signature, hashType } = scripts.signature.decode(reported);
  if (hashType !== Transaction.SIGHASH_ALL) return false;
  const signed = toSign.hashForWitnessV0(0, scriptOf({ type: 'p2pkh', payload }), 0n, hashType);
  return ecc.verify(signed, key, signature, true);
}

function isOfOutput(toSign: Transaction, items: readonly Buffer[], script: Uint8Array, output: Uint8Array): boolean {
  const [reported, more] = items;
  if (reported === undefined || more !== undefined) return false;
  // SIGHASH_DEFAULT is encoded only by omission (BIP 341).
  const type = reported.length === 64 ? Transaction.SIGHASH_DEFAULT : reported[64];
  if (reported.length > 64 && (reported.length !== 65 || type !== Transaction.SIGHASH_ALL)) return false;
  const signed = toSign.hashForWitnessV1(0, [script], [0n], type ?? Transaction.SIGHASH_DEFAULT);
  return ecc.verifySchnorr(signed, output, reported.subarray(0, 64));
}

/** Spends an output of an impossible transaction that commits to the text. */
function transactionOf(script: Uint8Array, text: string): Transaction {
  const digest = hash('sha256', Buffer.concat([TAG, TAG, Buffer.from(text, 'utf8')]), 'buffer');
  const toSpend = new Transaction();
  toSpend.version = 0;
  toSpend.addInput(new Uint8Array(32), 0xffffffff, 0, Buffer.concat([Buffer.from([0, digest.length]), digest]));
  toSpend.addOutput(script, 0n);
  const toSign = new Transaction();
  toSign.version = 0;
  toSign.addInput(toSpend.getHash(), 0, 0);
  toSign.addOutput(RETURN, 0n);
  return toSign;
}

function witnessOf(bytes: Buffer): readonly Buffer[] {
  const reader = new Reader(bytes);
  const count = reader.compact();
  if (count > MAX_ITEMS) return [];
  const items = Array.from({ length: count }, () => Buffer.from(reader.take(reader.compact())));
  return reader.at === bytes.length ? items : [];
}
