import type { AskedAuthorization, Hex, LegInstruction, ReadAuthorization } from '@causeway/core';
import { secp256k1 } from '@noble/curves/secp256k1';
import { bytesToHex, fromRlp, hexToBytes, hexToNumber, keccak256, publicKeyToAddress, toHex, toRlp } from 'viem/utils';
import { parseAddress } from './addresses.js';

/** Precedes the address in the code of an account that delegates. */
export const DELEGATED = '0xef0100';
/** Gas charged up front per authorization (EIP-7702); estimates include it. */
export const AUTHORIZATION_GAS = 25_000n;
export const AUTHORIZATION_BYTES = 120;

/** Delegation of an account to a contract's code (EIP-7702). */
export interface Authorization {
  /** 0: valid on any chain. */
  readonly chainId: number;
  /** The contract; zero removes the delegation. */
  readonly address: Hex;
  readonly nonce: number;
  readonly yParity: number;
  readonly r: Hex;
  readonly s: Hex;
}

const SHORT_WORD_HEX = /^0x[0-9a-fA-F]{1,64}$/;
/** EIP-2 rejects the malleated twin of a signature, with the other s. */
const MAX_S = secp256k1.CURVE.n / 2n;

/** Local work only: the account's current nonce is checked elsewhere. The opaque form is the RLP of its six fields. */
export function readAuthorization(asked: AskedAuthorization): ReadAuthorization {
  const { chainId, nonce, yParity } = asked;
  const code = parseAddress(asked.address);
  if (!code.ok) return { ok: false, field: 'address', reason: code.reason };
  if (yParity !== 0 && yParity !== 1) return { ok: false, field: 'yParity', reason: 'must be 0 or 1' };
  for (const field of ['r', 's'] as const)
    if (!SHORT_WORD_HEX.test(asked[field]))
      return { ok: false, field, reason: 'must be at most 32 bytes of hex after 0x' };
  if (BigInt(asked.s) > MAX_S) return { ok: false, field: 's', reason: 'must be the lower of its two values' };
  const [r, s] = [asked.r, asked.s].map((word) => toHex(BigInt(word), { size: 32 })) as [Hex, Hex];
  const authorization = { chainId, address: code.value as Hex, nonce, yParity, r, s };
  const account = signerOf(authorization);
  if (account === undefined) return { ok: false, field: 'r', reason: 'is no valid signature together with s' };
  return { ok: true, encoded: encode(authorization), account, code: code.value };
}

function encode({ chainId, address, nonce, yParity, r, s }: Authorization): Hex {
  return toRlp([numberOf(chainId), address, numberOf(nonce), numberOf(yParity), r, s]);
}

function numberOf(value: number): Hex {
  return value === 0 ? '0x' : toHex(value);
}

/** @throws for input that `readAuthorization` did not produce. */
export function decodeAuthorization(encoded: Hex): Authorization {
  const [chainId, address, nonce, yParity, r, s] = fromRlp(encoded, 'hex') as Hex[];
  if (chainId === undefined || address === undefined || nonce === undefined || yParity === undefined)
    throw new Error('an authorization of an order lacks parts');
  if (r === undefined || s === undefined) throw new Error('an authorization of an order lacks its signature');
  const [chain, at, parity] = [chainId, nonce, yParity].map((hex) => (hex === '0x' ? 0 : hexToNumber(hex)));
  return { chainId: chain ?? 0, address, nonce: at ?? 0, yParity: parity ?? 0, r, s };
}

export function authorizationsOf(leg: LegInstruction): readonly Authorization[] {
  return leg.kind === 'fill' ? (leg.authorizations ?? []).map(decodeAuthorization) : [];
}

/** Canonical address; undefined if the signature recovers no key. */
export function signerOf({ chainId, address, nonce, yParity, r, s }: Authorization): string | undefined {
  const digest = keccak256(`0x05${toRlp([numberOf(chainId), address, numberOf(nonce)]).slice(2)}`);
  try {
    const signature = new secp256k1.Signature(BigInt(r), BigInt(s)).addRecoveryBit(yParity);
    const key = signature.recoverPublicKey(hexToBytes(digest)).toRawBytes(false);
    return publicKeyToAddress(bytesToHex(key)).toLowerCase();
  } catch {
    return undefined;
  }
}

/** JSON-RPC form, for simulated calls. */
export function asTried({ chainId, address, nonce, yParity, r, s }: Authorization) {
  const [chain, at, parity] = [chainId, nonce, yParity].map((value) => toHex(value));
  return { chainId: chain, address, nonce: at, yParity: parity, r: trimmed(r), s: trimmed(s) };
}

function trimmed(word: Hex): Hex {
  return toHex(BigInt(word));
}
