import type { Hex } from '@causeway/core';
import { secp256k1 } from '@noble/curves/secp256k1';
import { bytesToHex, concatHex, hexToBytes, publicKeyToAddress } from 'viem/utils';

export interface KeySignature {
  readonly r: Hex;
  readonly s: Hex;
  readonly v: 27 | 28;
  /** r, s and v. */
  readonly bytes: Hex;
}

const SHAPE = /^0x[0-9a-f]{130}$/;
const HALF_ORDER = secp256k1.CURVE.n / 2n;

/** Of a key; undefined for any other form. Wallets give v as 27 or 28, some devices as 0 or 1. */
export function keySignature(signature: string): KeySignature | undefined {
  const text = signature.toLowerCase();
  if (!SHAPE.test(text)) return undefined;
  const [r, s, last] = [`0x${text.slice(2, 66)}`, `0x${text.slice(66, 130)}`, Number(`0x${text.slice(130)}`)] as [
    Hex,
    Hex,
    number,
  ];
  const v = last < 27 ? last + 27 : last;
  if (v !== 27 && v !== 28) return undefined;
  return { r, s, v, bytes: concatHex([r, s, v === 27 ? '0x1b' : '0x1c']) };
}

/** The twin of a signature, which some contracts accept too. */
export function isHighS({ s }: KeySignature): boolean {
  return BigInt(s) > HALF_ORDER;
}

/** Lower case; undefined where no key made it. */
export function recovered(digest: Hex, { bytes, v }: KeySignature): Hex | undefined {
  try {
    const signed = secp256k1.Signature.fromCompact(hexToBytes(bytes).subarray(0, 64)).addRecoveryBit(v - 27);
    const key = signed.recoverPublicKey(hexToBytes(digest)).toRawBytes(false);
    return publicKeyToAddress(bytesToHex(key)).toLowerCase() as Hex;
  } catch {
    return undefined;
  }
}
