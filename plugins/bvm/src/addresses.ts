import { hash } from 'node:crypto';
import * as ecc from '@bitcoinerlab/secp256k1';
import type { Hex, Parsed } from '@causeway/core';
import { address as codec } from 'bitcoinjs-lib';
import type { Network } from './network.js';

/** Native sentinel in order data and every response, on all chains of this family: no key hashes to zeros. */
export const NATIVE = 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8';

/** Payer and recipient of previews; the spelling is the same on every network. */
export const BURN = '34xp4vRoCGJym3xR7yCVPFHoCNxv4Twseo';
const BURN_BYTES = 'ff0523e522dfc6656a8fda3d47b4fa53f7585ac758cd';

export type AddressType = 'p2pkh' | 'p2sh' | 'p2wpkh' | 'p2wsh' | 'p2tr';

export interface AddressParts {
  readonly type: AddressType;
  readonly payload: Uint8Array;
}

/** Limit of bech32. */
const MAX_CHARACTERS = 90;

export function decodeAddress(text: string, network: Network): AddressParts | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  return segwit(text, network) ?? legacy(text, network);
}

function segwit(text: string, network: Network): AddressParts | undefined {
  try {
    const { version, prefix, data } = codec.fromBech32(text);
    if (prefix !== network.bech32) return undefined;
    if (version === 0 && data.length === 20) return { type: 'p2wpkh', payload: data };
    if (version === 0 && data.length === 32) return { type: 'p2wsh', payload: data };
    // Later versions and other lengths are anyone-can-spend.
    if (version === 1 && data.length === 32 && network.taproot) return { type: 'p2tr', payload: data };
    return undefined;
  } catch {
    return undefined;
  }
}

function legacy(text: string, network: Network): AddressParts | undefined {
  try {
    const { version, hash } = codec.fromBase58Check(text);
    if (version === network.pubKeyHash) return { type: 'p2pkh', payload: hash };
    if (version === network.scriptHash) return { type: 'p2sh', payload: hash };
    return undefined;
  } catch {
    return undefined;
  }
}

export function encodeAddress({ type, payload }: AddressParts, network: Network): string {
  switch (type) {
    case 'p2pkh':
      return codec.toBase58Check(payload, network.pubKeyHash);
    case 'p2sh':
      return codec.toBase58Check(payload, network.scriptHash);
    case 'p2wpkh':
    case 'p2wsh':
      return codec.toBech32(payload, 0, network.bech32);
    case 'p2tr':
      return codec.toBech32(payload, 1, network.bech32);
  }
}

/** Base58 unchanged, bech32 in lower case. */
export function parseAddress(text: string, network: Network): Parsed {
  const parts = decodeAddress(text, network);
  if (parts === undefined) return { ok: false, reason: `not an address of ${network.name}` };
  return { ok: true, value: encodeAddress(parts, network) };
}

export function scriptOf({ type, payload }: AddressParts): Uint8Array {
  switch (type) {
    case 'p2pkh':
      return bytes([0x76, 0xa9, 20], payload, [0x88, 0xac]);
    case 'p2sh':
      return bytes([0xa9, 20], payload, [0x87]);
    case 'p2wpkh':
      return bytes([0x00, 20], payload);
    case 'p2wsh':
      return bytes([0x00, 32], payload);
    case 'p2tr':
      return bytes([0x51, 32], payload);
  }
}

/** @throws when the text is no address of this network. */
export function addressScript(address: string, network: Network): Uint8Array {
  const parts = decodeAddress(address, network);
  if (parts === undefined) throw new Error(`${address} is not an address of ${network.name}`);
  return scriptOf(parts);
}

/**
 * The script by which payments to a recipient are found. For a placeholder, which is never paid, it is a script that no
 * output has.
 *
 * @throws when the text is no address of this network.
 */
export function soughtScript(recipient: string, network: Network): Uint8Array {
  return isPlaceholder(recipient, network) ? new Uint8Array() : addressScript(recipient, network);
}

export function partsOfScript(script: Uint8Array): AddressParts | undefined {
  const s = script;
  if (s.length === 25 && starts(s, 0x76, 0xa9, 20) && s[23] === 0x88 && s[24] === 0xac)
    return { type: 'p2pkh', payload: s.slice(3, 23) };
  if (s.length === 23 && starts(s, 0xa9, 20) && s[22] === 0x87) return { type: 'p2sh', payload: s.slice(2, 22) };
  if (s.length === 22 && starts(s, 0x00, 20)) return { type: 'p2wpkh', payload: s.slice(2) };
  if (s.length === 34 && starts(s, 0x00, 32)) return { type: 'p2wsh', payload: s.slice(2) };
  if (s.length === 34 && starts(s, 0x51, 32)) return { type: 'p2tr', payload: s.slice(2) };
  return undefined;
}

export function scriptAddress(script: Uint8Array, network: Network): string | undefined {
  const parts = partsOfScript(script);
  if (parts === undefined || (parts.type === 'p2tr' && !network.taproot)) return undefined;
  return encodeAddress(parts, network);
}

const MAX_DIGITS = 120;

/**
 * The canonical address, else an unpayable name: `script:<hex>`, or `script:sha256:<digest>` of a long script. At
 * most 128 characters, because anyone can create scripts of thousands of bytes, and names are indexed.
 */
export function scriptName(script: Uint8Array, network: Network): string {
  const address = scriptAddress(script, network);
  if (address !== undefined) return address;
  const hex = Buffer.from(script).toString('hex');
  return hex.length <= MAX_DIGITS ? `script:${hex}` : `script:sha256:${hash('sha256', script, 'hex')}`;
}

/** Handwritten burn addresses. */
const EATERS: ReadonlySet<string> = new Set([
  '1BitcoinEaterAddressDontSendf59kuE',
  '1CounterpartyXXXXXXXXXXXXXXXUWLpVr',
]);

/** Reason if a canonical address is unspendable: its key is on no curve, or its hash has no known preimage. */
export function refuseAddress(address: string, network: Network): string | undefined {
  const parts = isPlaceholder(address, network) ? undefined : decodeAddress(address, network);
  if (parts === undefined) return 'is a placeholder and has no known key';
  const { type, payload } = parts;
  if (type === 'p2tr' && !ecc.isXOnlyPoint(payload))
    return 'names a point that is not on the curve and has no known key';
  const isMadeUp = EATERS.has(address) || payload.every((byte) => byte === payload[0]);
  return isMadeUp ? 'is made up and has no known key' : undefined;
}

/** The native sentinel, or the payer of previews if it is no address of this network. */
export function isPlaceholder(address: string, network: Network): boolean {
  return isNative(address) || (address === BURN && decodeAddress(BURN, network) === undefined);
}

/**
 * Witness version and program; for legacy addresses `ff`, version and hash. The native sentinel and the payer of
 * previews have the same bytes on every network.
 *
 * @throws when the text is no address of this network.
 */
export function addressBytes(address: string, network: Network): Uint8Array {
  if (address === NATIVE) return bytes([0], new Uint8Array(20));
  if (address === BURN) return Buffer.from(BURN_BYTES, 'hex');
  const parts = decodeAddress(address, network);
  if (parts === undefined) throw new Error(`${address} is not an address of ${network.name}`);
  const { type, payload } = parts;
  if (type === 'p2pkh') return bytes([0xff, network.pubKeyHash], payload);
  if (type === 'p2sh') return bytes([0xff, network.scriptHash], payload);
  return bytes([type === 'p2tr' ? 1 : 0], payload);
}

/** In any spelling. */
export function isNative(currency: string): boolean {
  return currency === NATIVE || currency === NATIVE.toUpperCase();
}

/** Transaction or block hash as displayed: 64 hex digits, lower case. */
export function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

const ID = /^0x[0-9a-f]{64}$/;

export function orderIdOf(text: string): Hex | undefined {
  const id = text.toLowerCase();
  return ID.test(id) ? (id as Hex) : undefined;
}

function starts(script: Uint8Array, ...first: readonly number[]): boolean {
  return first.every((byte, n) => script[n] === byte);
}

function bytes(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
