import { hash } from 'node:crypto';
import * as ecc from '@bitcoinerlab/secp256k1';
import { crypto, script as scripts, Transaction } from 'bitcoinjs-lib';
import { type AddressParts, scriptOf } from '../addresses.js';
import { Reader } from '../raw/reader.js';
import { nestedHash, same } from './classic.js';

/** Of the tagged hash of texts (BIP 340). */
const TAG = hash('sha256', 'BIP0322-signed-message', 'buffer');
const RETURN = Buffer.from([0x6a]);
/** No signature of one key has more items, or larger ones. */
const MOST_ITEMS = 2;
const KEY_BYTES = 33;

/**
 * Whether this is the witness of the transaction that BIP 322 makes of a text and an address (`simple`). That transaction
 * spends no real output, and only the key that can spend outputs of the address can sign it. For outputs of one key: P2WPKH,
 * also in P2SH, and P2TR spent by its key.
 *
 * @throws where the bytes are no witness, or the signature in it is none.
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
  const [told, key, more] = items;
  if (told === undefined || key?.length !== KEY_BYTES || more !== undefined) return false;
  const payload = crypto.hash160(key);
  if (!isTheirs(payload)) return false;
  const { signature, hashType } = scripts.signature.decode(told);
  if (hashType !== Transaction.SIGHASH_ALL) return false;
  const signed = toSign.hashForWitnessV0(0, scriptOf({ type: 'p2pkh', payload }), 0n, hashType);
  return ecc.verify(signed, key, signature, true);
}

function isOfOutput(toSign: Transaction, items: readonly Buffer[], script: Uint8Array, output: Uint8Array): boolean {
  const [told, more] = items;
  if (told === undefined || more !== undefined) return false;
  // The default is told by leaving it out, and by nothing else (BIP 341).
  const type = told.length === 64 ? Transaction.SIGHASH_DEFAULT : told[64];
  if (told.length > 64 && (told.length !== 65 || type !== Transaction.SIGHASH_ALL)) return false;
  const signed = toSign.hashForWitnessV1(0, [script], [0n], type ?? Transaction.SIGHASH_DEFAULT);
  return ecc.verifySchnorr(signed, output, told.subarray(0, 64));
}

/** What is signed: it spends the one output of another transaction that nobody can make, which commits to the text. */
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
  if (count > MOST_ITEMS) return [];
  const items = Array.from({ length: count }, () => Buffer.from(reader.take(reader.compact())));
  return reader.at === bytes.length ? items : [];
}
