import * as ecc from '@bitcoinerlab/secp256k1';
import { crypto } from 'bitcoinjs-lib';
import { type AddressParts, scriptOf } from '../addresses.js';
import type { PayerType } from './select-coins.js';

export type PayerKey =
  | { readonly ok: true; readonly type: PayerType; readonly redeemScript?: Buffer; readonly internalKey?: Buffer }
  | { readonly ok: false; readonly why: 'publicKey' | 'payer'; readonly message: string };

/**
 * From a public key as hex of 32, 33 or 65 bytes. P2SH is only supported for a nested P2WPKH, as its script must be
 * known.
 */
export function payerKey({ type, payload }: AddressParts, publicKey: string | null): PayerKey {
  const key = publicKey === null ? undefined : keyBytes(publicKey);
  switch (type) {
    case 'p2pkh':
    case 'p2wpkh':
      return { ok: true, type };
    case 'p2tr':
      return taproot(payload, key);
    case 'p2wsh':
      return { ok: false, why: 'payer', message: 'The payer has a P2WSH address, whose script is unknown' };
    case 'p2sh':
      break;
  }
  if (publicKey === null)
    return { ok: false, why: 'publicKey', message: 'is needed where the payer has a P2SH address' };
  if (key === undefined || key.length === 32)
    return { ok: false, why: 'publicKey', message: 'must be a public key in hex, 33 bytes' };
  const compressed = Buffer.from(ecc.pointCompress(key, true));
  const redeemScript = Buffer.from(scriptOf({ type: 'p2wpkh', payload: crypto.hash160(compressed) }));
  if (!Buffer.from(crypto.hash160(redeemScript)).equals(payload))
    return { ok: false, why: 'publicKey', message: 'is not the key of the payer, or not of a P2SH-P2WPKH address' };
  return { ok: true, type, redeemScript };
}

/** Output key without scripts (BIP 86). */
function tweakedKey(internalKey: Uint8Array): Uint8Array | undefined {
  return ecc.xOnlyPointAddTweak(internalKey, crypto.taggedHash('TapTweak', internalKey))?.xOnlyPubkey;
}

/** Wallets mostly know their internal key; a supplied one is included if it matches. */
function taproot(output: Uint8Array, key: Buffer | undefined): PayerKey {
  if (key === undefined) return { ok: true, type: 'p2tr' };
  const internalKey = key.length === 32 ? key : Buffer.from(ecc.pointCompress(key, true)).subarray(1);
  const isTheirs = Buffer.from(tweakedKey(internalKey) ?? []).equals(output);
  return isTheirs ? { ok: true, type: 'p2tr', internalKey } : { ok: true, type: 'p2tr' };
}

/** Undefined if no point of the curve. */
function keyBytes(text: string): Buffer | undefined {
  if (!/^(0x)?([0-9a-fA-F]{64}|[0-9a-fA-F]{66}|[0-9a-fA-F]{130})$/.test(text)) return undefined;
  const bytes = Buffer.from(text.replace(/^0x/, ''), 'hex');
  const isPoint = bytes.length === 32 ? ecc.isXOnlyPoint(bytes) : ecc.isPoint(bytes);
  return isPoint ? bytes : undefined;
}
