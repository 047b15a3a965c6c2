import type { ExchangedRefund, Hex, RefundExchange } from '@causeway/core';
import { encodeAbiParameters, encodeFunctionData, keccak256 } from 'viem/utils';
import { swapEntryAbi } from '../abi.js';
import { asHex } from '../addresses.js';
import { accountOf } from '../call-account.js';
import type { Withdrawal } from '../depository/withdrawal.js';

const SALT = [{ type: 'address' }, { type: 'bytes32' }, { type: 'address' }, { type: 'uint256' }] as const;

/** Equals `refundAccountOf` of the entry: the address commits to sender, key, recipient and minimum output. */
export function refundAccount(entry: Hex, { signer, useKey, recipient, output }: ExchangedRefund): string {
  const salt = keccak256(encodeAbiParameters(SALT, [asHex(signer), useKey, asHex(output.currency), output.least]));
  return accountOf(entry, salt, recipient);
}

/** @param withdrawal signed for the entry as its submitter, to `refundAccount`. */
export function refundData(
  { token, amount, key, expiration }: Omit<Withdrawal, 'to'>,
  recipient: string,
  { output, calls }: RefundExchange,
  signature: Hex,
): Hex {
  const order = {
    ...{ token, amount, key, expiration },
    ...{ recipient: asHex(recipient), tokenOut: asHex(output.currency), least: output.least },
    calls: calls.map(({ to, value, data }) => ({ to: asHex(to), value, data })),
  };
  return encodeFunctionData({ abi: swapEntryAbi, functionName: 'refund', args: [order, signature] });
}
