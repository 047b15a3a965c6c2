import type { Hex } from '../contract/ids.js';

const DIGIT = new Int8Array(128).fill(-1);
for (let value = 0; value < 16; value += 1) {
  DIGIT[value.toString(16).charCodeAt(0)] = value;
  DIGIT[value.toString(16).toUpperCase().charCodeAt(0)] = value;
}

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Bytes of `0x` and an even number of hex digits in either case. Throws on anything else. */
export function hexToBytes(hex: string): Uint8Array {
  const length = hex.length / 2 - 1;
  if (!hex.startsWith('0x') || !Number.isInteger(length)) throw new TypeError('hex text needs 0x and whole bytes');
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index += 1) {
    const high = DIGIT[hex.charCodeAt(2 * index + 2)] ?? -1;
    const low = DIGIT[hex.charCodeAt(2 * index + 3)] ?? -1;
    if (high < 0 || low < 0) throw new TypeError('hex text holds another character');
    bytes[index] = (high << 4) | low;
  }
  return bytes;
}

export function bytesToHex(bytes: Uint8Array): Hex {
  let hex: Hex = '0x';
  for (const byte of bytes) hex += PAIRS[byte] as string;
  return hex as Hex;
}

/** True for `0x` and whole bytes in hex; `byteLength` requires an exact number of bytes. */
export function isHex(text: string, byteLength?: number): text is Hex {
  if (byteLength !== undefined && text.length !== 2 * byteLength + 2) return false;
  return text.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(text);
}
