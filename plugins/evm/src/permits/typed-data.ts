import type { Hex, TypedData } from '@causeway/core';
import { hashTypedData } from 'viem/utils';
import { spenderOf } from './spender.js';
import type { PermitTerms } from './terms.js';

export interface PermitPlace {
  readonly chainId: number;
  readonly entry: Hex;
  /** Absent: none on this chain. */
  readonly permit2?: Hex;
}

const field = (text: string) => {
  const [type = '', name = ''] = text.split(' ');
  return { name, type };
};
const struct = (text: string) => text.split(', ').map(field);

const RECEIVE = struct(
  'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce',
);
const PERMIT = struct('address owner, address spender, uint256 value, uint256 nonce, uint256 deadline');
const BATCH = struct(
  'TokenPermissions[] permitted, address spender, uint256 nonce, uint256 deadline, RelayerWitness witness',
);
const PERMISSIONS = struct('address token, uint256 amount');
const WITNESS = struct(
  'address relayer, address refundTo, address nftRecipient, bytes metadata, Call3Value[] call3Values',
);
const CALL = struct('address target, bool allowFailure, uint256 value, bytes callData');

/** What the payer signs. Each form names the order, and a spender that deposits under it alone. */
export function typedData(place: PermitPlace, terms: PermitTerms): TypedData {
  const { token, domain, deadline } = terms;
  const ofToken = { name: '', version: '', ...domain, chainId: place.chainId, verifyingContract: token };
  switch (terms.kind) {
    case 'eip3009':
      return {
        domain: ofToken,
        types: { ReceiveWithAuthorization: RECEIVE },
        primaryType: 'ReceiveWithAuthorization',
        value: {
          ...{ from: terms.payer, to: place.entry, value: terms.amount, validAfter: '0' },
          // Exclusive, unlike the deadline.
          ...{ validBefore: String(deadline + 1), nonce: terms.orderId },
        },
      };
    case 'eip2612':
      return {
        domain: ofToken,
        types: { Permit: PERMIT },
        primaryType: 'Permit',
        value: {
          ...{ owner: terms.payer, spender: spenderOf(place.entry, terms), value: terms.amount },
          ...{ nonce: terms.nonce ?? '0', deadline: String(deadline) },
        },
      };
    case 'permit2':
      return {
        domain: { name: 'Permit2', chainId: place.chainId, verifyingContract: place.permit2 ?? '0x' },
        types: {
          PermitBatchWitnessTransferFrom: BATCH,
          TokenPermissions: PERMISSIONS,
          RelayerWitness: WITNESS,
          Call3Value: CALL,
        },
        primaryType: 'PermitBatchWitnessTransferFrom',
        value: {
          ...{ permitted: [{ token, amount: terms.amount }], spender: place.entry },
          ...{ nonce: BigInt(terms.orderId).toString(), deadline: String(deadline) },
          witness: {
            ...{ relayer: place.entry, refundTo: terms.payer, nftRecipient: terms.payer },
            ...{ metadata: terms.orderId, call3Values: [] },
          },
        },
      };
  }
}

export function digestOf({ domain, types, primaryType, value }: TypedData): Hex {
  return hashTypedData({ domain, types, primaryType, message: value } as Parameters<typeof hashTypedData>[0]);
}
