import type { OrderId } from '../contract/ids.js';
import { bytesToHex } from './hex.js';
import { keccak256 } from './keccak.js';
import { signedWord } from './signed-word.js';

/** Named by the operator. No `:`: it is a part of leg ids. */
export const WITHDRAWAL_ID = /^[A-Za-z0-9_-]{1,64}$/;

export function withdrawalLegId(id: string): string {
  return `withdrawal:${id}`;
}

/**
 * Fill id of a withdrawal, independent of its terms: a chain that fills once pays a repeated id once, even if the
 * ledger lost the withdrawal.
 *
 * @param service address of the order signer.
 */
export function withdrawalOrderId(service: string, id: string): OrderId {
  const text = ['Operator withdrawal', `Service: ${signedWord(service)}`, `Id: ${signedWord(id)}`].join('\n');
  return bytesToHex(keccak256(new TextEncoder().encode(text)));
}
