import type { Hex } from '@causeway/core';
import { encodeFunctionData } from 'viem/utils';
import { permitEntryAbi } from './abi.js';
import type { KeySignature } from './signature.js';
import type { PermitTerms } from './terms.js';

/** @param signature of Permit2: of no fixed length, as contracts judge it. */
export function permitCall(
  { kind, payer, token, amount, orderId, deadline }: PermitTerms,
  signature: Hex,
  key: KeySignature | undefined,
): Hex | undefined {
  const order = { payer, token, amount: BigInt(amount), orderId, deadline: BigInt(deadline) };
  if (kind === 'permit2') {
    const args = [order, key?.bytes ?? signature] as const;
    return encodeFunctionData({ abi: permitEntryAbi, functionName: 'depositWithPermit2', args });
  }
  if (key === undefined) return undefined;
  const functionName = kind === 'eip3009' ? 'depositWithAuthorization' : 'depositWithPermit';
  return encodeFunctionData({ abi: permitEntryAbi, functionName, args: [order, key.v, key.r, key.s] });
}
