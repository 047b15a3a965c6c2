import type { Hex } from '@causeway/core';
import { secp256k1 } from '@noble/curves/secp256k1';
import { hexToBytes, parseTransaction, publicKeyToAddress, serializeTransaction } from 'viem/utils';
import { digestOf, type UnsignedTransaction } from '../signed-transaction.js';

/** Compared in this order. */
const FIELDS = [
  'type',
  'chainId',
  'nonce',
  'to',
  'value',
  'data',
  'gas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'accessList',
  'authorizationList',
] as const;

/** Nodes refuse the other one of two valid signatures, whose `s` is greater. */
const MAX_S = secp256k1.CURVE.n / 2n;

/**
 * Why an answer is not exactly the transaction that was asked for, signed by the account; undefined where it is.
 *
 * Invariant: it is compared as bytes. What was asked, with the signature of the answer, must give the answer, and the
 * signature must be the account's over the digest of what was asked.
 */
export function problemOf(answer: string, asked: UnsignedTransaction, account: Hex): string | undefined {
  if (!/^0x([0-9a-f]{2})+$/.test(answer)) return 'the answer is no hex data';
  let given: ReturnType<typeof parseTransaction>;
  try {
    given = parseTransaction(answer as Hex);
  } catch {
    return 'the answer is no transaction that can be read';
  }
  for (const field of FIELDS) {
    const [wanted, found] = [shown(asked, field), shown(given, field)];
    if (wanted !== found) return `${field} is ${brief(found)} and must be ${brief(wanted)}`;
  }
  const { r, s, yParity } = given;
  if (r === undefined || s === undefined || (yParity !== 0 && yParity !== 1)) return 'signature is missing';
  if (BigInt(s) > MAX_S) return 'signature has the higher of two values for s';
  if (serializeTransaction(asked, { r, s, yParity }) !== answer) return 'encoding differs from that of what was asked';
  const signer = recovered(digestOf(asked), r, s, yParity);
  // guard: evm-remote-key
  return signer === account ? undefined : `from is ${signer ?? 'no account'} and must be ${account}`;
}

/** Absent, empty and zero are the same to the encoding. */
function shown(transaction: object, field: string): string {
  const value = (transaction as Readonly<Record<string, unknown>>)[field];
  if (value === undefined || value === null || value === '0x' || value === 0n || value === 0) return '';
  if (typeof value === 'object')
    return Array.isArray(value) && value.length === 0
      ? ''
      : JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part));
  return String(value).toLowerCase();
}

function brief(text: string): string {
  if (text === '') return 'none';
  return text.length > 80 ? `${text.slice(0, 60)}… (${text.length} characters)` : text;
}

function recovered(digest: Hex, r: Hex, s: Hex, yParity: number): Hex | undefined {
  try {
    const signature = new secp256k1.Signature(BigInt(r), BigInt(s)).addRecoveryBit(yParity);
    const key = signature.recoverPublicKey(hexToBytes(digest)).toHex(false);
    return publicKeyToAddress(`0x${key}`).toLowerCase() as Hex;
  } catch {
    return undefined;
  }
}
