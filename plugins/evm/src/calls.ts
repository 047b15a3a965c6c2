import type { CollectLeg, FillLeg, Hex, LegInstruction, RefundLeg, Secp256k1Signer } from '@causeway/core';
import { bytesToHex, encodeFunctionData, hashTypedData, hexToBytes } from 'viem';
import { DEPOSITORY_DOMAIN, depositoryAbi, routerAbi, withdrawalTypes } from './abi.js';
import { asHex, isNative } from './addresses.js';

/** A call of ours, before gas and nonce. */
export interface OurCall {
  readonly to: Hex;
  readonly data: Hex;
  readonly value: bigint;
}

export interface Contracts {
  readonly chainId: number;
  readonly depository: Hex;
  readonly router: Hex;
}

/** The call that executes a leg. @param submitter The lane that sends it. @param allocator Signs withdrawals. */
export function callOf(
  leg: LegInstruction,
  contracts: Contracts,
  submitter: string,
  allocator: Secp256k1Signer,
): OurCall {
  return leg.kind === 'fill' ? fillCall(leg, contracts) : withdrawCall(leg, contracts, submitter, allocator);
}

/** The order id is the last word of the calldata, where indexers of the protocol look for it. */
function fillCall(leg: FillLeg, { router }: Contracts): OurCall {
  const args = [asHex(leg.currency), asHex(leg.recipient), leg.amount, BigInt(leg.deadline), leg.orderId] as const;
  return {
    to: router,
    data: encodeFunctionData({ abi: routerAbi, functionName: 'fill', args }),
    value: isNative(leg.currency) ? leg.amount : 0n,
  };
}

function withdrawCall(
  leg: RefundLeg | CollectLeg,
  { chainId, depository }: Contracts,
  submitter: string,
  allocator: Secp256k1Signer,
): OurCall {
  const message = {
    token: asHex(leg.currency),
    to: asHex(leg.recipient),
    amount: leg.amount,
    key: leg.useKey,
    expiration: BigInt(leg.expiration),
  };
  const digest = hashTypedData({
    domain: { ...DEPOSITORY_DOMAIN, chainId, verifyingContract: depository },
    types: withdrawalTypes,
    primaryType: 'Withdrawal',
    message: { ...message, submitter: asHex(submitter) },
  });
  const { r, s, recovery } = allocator.sign(hexToBytes(digest));
  const signature = bytesToHex(Uint8Array.from([...r, ...s, 27 + recovery]));
  const { token, to, amount, key, expiration } = message;
  return {
    to: depository,
    data: encodeFunctionData({
      abi: depositoryAbi,
      functionName: 'withdraw',
      args: [token, to, amount, key, expiration, signature],
    }),
    value: 0n,
  };
}
