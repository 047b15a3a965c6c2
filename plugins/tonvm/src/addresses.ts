import type { Parsed } from '@causeway/core';
import { Address } from '@ton/core';

/** Native sentinel in order data and answers: the account of 32 zero bytes, as public clients write it. */
export const NATIVE = 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c';

/** Payer and recipient of previews. Public clients send this text, and refuse to pay for a quote that names it. */
export const BURN = 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADerZ0z';

/** The only workchain that orders can name: an account is 32 bytes. */
const BASECHAIN = 0;
const RAW = /^(-?\d{1,10}):([0-9a-fA-F]{64})$/;
/** 36 bytes, in one of the two base64 alphabets. */
const FRIENDLY = /^(?:[A-Za-z0-9+/]{48}|[A-Za-z0-9_-]{48})$/;

const BOUNCEABLE = 0x11;
const NON_BOUNCEABLE = 0x51;
const TEST_ONLY = 0x80;
const CHECKSUM_AT = 34;

/**
 * Canonical text: non-bounceable, url-safe, not test-only (`UQ…`), except for `NATIVE` and `BURN`. Accepts the raw form (`0:` and 64 hex digits) and
 * friendly forms; test-only addresses only if `testOnly`. Never throws.
 */
export function parseAddress(text: string, allows: { readonly testOnly: boolean } = { testOnly: false }): Parsed {
  const raw = RAW.exec(text);
  if (raw) return ofParts(Number(raw[1]), Buffer.from(raw[2] ?? '', 'hex'));
  if (!FRIENDLY.test(text))
    return refused('an address is 48 letters of base64, or a workchain, a colon and 64 hex digits');
  const bytes = Buffer.from(text, 'base64url');
  const tag = bytes[0] ?? 0;
  const kind = tag & ~TEST_ONLY;
  if (kind !== BOUNCEABLE && kind !== NON_BOUNCEABLE) return refused('the text begins like no address');
  if (!checksum(bytes.subarray(0, CHECKSUM_AT)).equals(bytes.subarray(CHECKSUM_AT)))
    return refused('its checksum is not that of its letters: one of them is wrong');
  if (tag !== kind && !allows.testOnly) return refused('the address is marked for test networks only');
  return ofParts(bytes.readInt8(1), bytes.subarray(2, CHECKSUM_AT));
}

function ofParts(workchain: number, hash: Buffer): Parsed {
  if (workchain !== BASECHAIN) return refused(`workchain ${workchain} is not served: accounts are in workchain 0`);
  return { ok: true, value: textOf(new Address(workchain, hash)) };
}

function refused(reason: string): Parsed {
  return { ok: false, reason };
}

const AS_CLIENTS_WRITE = [NATIVE, BURN].map((text) => ({ text, hash: Address.parse(text).hash }));

export function textOf(address: Address): string {
  const fixed = AS_CLIENTS_WRITE.find(({ hash }) => hash.equals(address.hash));
  if (fixed) return fixed.text;
  return address.toString({ bounceable: false, urlSafe: true, testOnly: false });
}

export function accountOf(address: string): Address {
  return Address.parse(address);
}

export function addressBytes(address: string): Uint8Array {
  return new Uint8Array(accountOf(address).hash);
}

export function isNative(currency: string): boolean {
  return currency === NATIVE;
}

function checksum(bytes: Buffer): Buffer {
  let crc = 0;
  for (const byte of [...bytes, 0, 0]) {
    for (let bit = 0x80; bit > 0; bit >>= 1) {
      const carry = crc & 0x8000;
      crc = ((crc << 1) & 0xffff) | (byte & bit ? 1 : 0);
      if (carry) crc ^= 0x1021;
    }
  }
  return Buffer.from([crc >> 8, crc & 0xff]);
}
