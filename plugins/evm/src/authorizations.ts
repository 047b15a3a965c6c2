import type { AskedAuthorization, Hex, LegInstruction, ReadAuthorization } from '@causeway/core';
import { secp256k1 } from '@noble/curves/secp256k1';
import { bytesToHex, fromRlp, hexToBytes, hexToNumber, keccak256, publicKeyToAddress, toHex, toRlp } from 'viem/utils';
import { parseAddress } from './addresses.js';

/** What a transaction takes for each of them at first (EIP-7702), in gas; estimates have it. */
export const AUTHORIZATION_GAS = 25_000n;
/** Bytes of one in a transaction, rounded up. */
export const AUTHORIZATION_BYTES = 120;

/** The word of an account that its code be a contract's (EIP-7702), as transactions carry it. */
export interface Authorization {
  /** 0: of any chain. */
  readonly chainId: number;
  /** The contract; zero for no code. */
  readonly address: Hex;
  readonly nonce: number;
  readonly yParity: number;
  readonly r: Hex;
  readonly s: Hex;
}

const WORD = /^0x[0-9a-fA-F]{1,64}$/;
/** The twin of a signature, with the other s, is void. */
const MOST_S = secp256k1.CURVE.n / 2n;

/**
 * One as a client wrote it. Local work only: whether the account still stands at its nonce is another question.
 *
 * Its opaque form is the RLP of its six parts.
 */
export function readAuthorization(asked: AskedAuthorization): ReadAuthorization {
  const { chainId, nonce, yParity } = asked;
  const code = parseAddress(asked.address);
  if (!code.ok) return { ok: false, field: 'address', reason: code.reason };
  if (yParity !== 0 && yParity !== 1) return { ok: false, field: 'yParity', reason: 'must be 0 or 1' };
  for (const field of ['r', 's'] as const)
    if (!WORD.test(asked[field])) return { ok: false, field, reason: 'must be at most 32 bytes of hex after 0x' };
  if (BigInt(asked.s) > MOST_S) return { ok: false, field: 's', reason: 'must be the lower of its two values' };
  const [r, s] = [asked.r, asked.s].map((word) => toHex(BigInt(word), { size: 32 })) as [Hex, Hex];
  const authorization = { chainId, address: code.value as Hex, nonce, yParity, r, s };
  const account = signerOf(authorization);
  if (account === undefined) return { ok: false, field: 'r', reason: 'is no signature of anybody, together with s' };
  return { ok: true, encoded: encode(authorization), account, code: code.value };
}

function encode({ chainId, address, nonce, yParity, r, s }: Authorization): Hex {
  return toRlp([numberOf(chainId), address, numberOf(nonce), numberOf(yParity), r, s]);
}

function numberOf(value: number): Hex {
  return value === 0 ? '0x' : toHex(value);
}

/** @throws for what `readAuthorization` did not make. */
export function decodeAuthorization(encoded: Hex): Authorization {
  const [chainId, address, nonce, yParity, r, s] = fromRlp(encoded, 'hex') as Hex[];
  if (chainId === undefined || address === undefined || nonce === undefined || yParity === undefined)
    throw new Error('an authorization of an order lacks parts');
  if (r === undefined || s === undefined) throw new Error('an authorization of an order lacks its signature');
  const [chain, at, parity] = [chainId, nonce, yParity].map((hex) => (hex === '0x' ? 0 : hexToNumber(hex)));
  return { chainId: chain ?? 0, address, nonce: at ?? 0, yParity: parity ?? 0, r, s };
}

/** What the transaction of a leg carries. */
export function authorizationsOf(leg: LegInstruction): readonly Authorization[] {
  return leg.kind === 'fill' ? (leg.authorizations ?? []).map(decodeAuthorization) : [];
}

/** Canonical address; undefined where no key can have signed it. */
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

/** As nodes take it in a call that is only tried. */
export function asTried({ chainId, address, nonce, yParity, r, s }: Authorization) {
  const [chain, at, parity] = [chainId, nonce, yParity].map((value) => toHex(value));
  return { chainId: chain, address, nonce: at, yParity: parity, r: trimmed(r), s: trimmed(s) };
}

/** Quantities have no leading zeros. */
function trimmed(word: Hex): Hex {
  return toHex(BigInt(word));
}
