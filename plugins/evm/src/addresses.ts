import type { Hex, Parsed } from '@causeway/core';
import { getAddress } from 'viem/utils';

export const NATIVE = '0x0000000000000000000000000000000000000000';

/** Second native sentinel in common use: accepted, never emitted. */
const NATIVE_ALIAS = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';

export const ZERO_ID: Hex = `0x${'00'.repeat(32)}`;

const SHAPE = /^0x[0-9a-fA-F]{40}$/;

/** Valid texts by themselves: a quote reads each of its addresses about twice. */
const valid = new Map<string, Parsed>();
const MAX_VALID = 4_096;

/** Lower case, or mixed case with a valid EIP-55 checksum. */
export function parseAddress(text: string): Parsed {
  const known = valid.get(text);
  if (known !== undefined) return known;
  if (!SHAPE.test(text)) return { ok: false, reason: 'an address is 0x and 40 hex digits' };
  const lower = text.toLowerCase();
  const digits = text.slice(2);
  const mixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (mixed && getAddress(lower) !== text) return { ok: false, reason: 'the EIP-55 checksum does not match' };
  const parsed: Parsed = Object.freeze({ ok: true, value: lower });
  if (valid.size === MAX_VALID) valid.clear();
  valid.set(text, parsed);
  return parsed;
}

export function currencyKey(text: string): string {
  const lower = text.toLowerCase();
  return lower === NATIVE_ALIAS ? NATIVE : lower;
}

export function isNative(currency: string): boolean {
  return currency === NATIVE;
}

/** Precompiles and system contracts lie below 2^16, where no key can be found. */
const OF_THE_CHAIN = /^0x0{36}/;
/** Sentinels such as `0xeeee…`, `0xffff…` and `0xbbbb…` repeat one digit. */
const ONE_DIGIT = /^0x([0-9a-f])\1{39}$/;

export function refuseAddress(address: string): string | undefined {
  if (ONE_DIGIT.test(address)) return 'is a placeholder and has no known key';
  return OF_THE_CHAIN.test(address) ? "is the chain's own and has no known key" : undefined;
}

export function addressBytes(address: string): Uint8Array {
  return new Uint8Array(Buffer.from(address.slice(2), 'hex'));
}

export function asHex(address: string): Hex {
  return address as Hex;
}
