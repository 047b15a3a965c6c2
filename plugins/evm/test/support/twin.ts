import { type Hex, hexToBigInt, numberToHex } from 'viem';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The signature of the same key over the same digest with the other s. */
export function twin(signature: Hex): Hex {
  const s = numberToHex(ORDER - hexToBigInt(`0x${signature.slice(66, 130)}`), { size: 32 });
  return `${signature.slice(0, 66)}${s.slice(2)}${signature.endsWith('1b') ? '1c' : '1b'}` as Hex;
}
