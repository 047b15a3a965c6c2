import type { Parsed } from '@causeway/core';
import bs58 from 'bs58';

/** Native sentinel of order data and answers: the system program's address. */
export const NATIVE = '11111111111111111111111111111111';

const LENGTH = 32;
const MAX_DIGITS = 44;

/** Canonical text: base58 of 32 bytes, which has one spelling. */
export function parseAddress(text: string): Parsed {
  const bytes = text.length <= MAX_DIGITS ? bs58.decodeUnsafe(text) : undefined;
  if (bytes === undefined) return { ok: false, reason: 'an address is the base58 of 32 bytes' };
  if (bytes.length !== LENGTH) return { ok: false, reason: `an address has 32 bytes, this one ${bytes.length}` };
  return { ok: true, value: text };
}

export function addressBytes(address: string): Uint8Array {
  return bs58.decode(address);
}

export function isNative(currency: string): boolean {
  return currency === NATIVE;
}

export function isSignature(text: string): boolean {
  return text.length <= 88 && bs58.decodeUnsafe(text)?.length === 64;
}
