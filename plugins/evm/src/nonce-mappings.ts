import type { NonceMapping, NonceMappings, TypedData } from '@causeway/core';
import { zeroAddress } from 'viem';
import { isHighS, keySignature, recovered } from './permits/signature.js';
import { digestOf } from './permits/typed-data.js';

const FIELDS = [
  { name: 'chainId', type: 'string' },
  { name: 'wallet', type: 'address' },
  { name: 'depositor', type: 'address' },
  { name: 'id', type: 'bytes32' },
  { name: 'nonce', type: 'uint256' },
] as const;

/**
 * EIP-712, as public clients sign it. Only keys sign, because only accounts with a key send transactions: a contract's
 * signature (EIP-1271) would name a transaction that never exists.
 *
 * @param chain name of the account's chain in orders.
 */
export function nonceMappings(chain: string): NonceMappings {
  const typedData = ({ account, nonce, orderId, signatureChainId }: NonceMapping): TypedData => ({
    domain: { name: 'RelayNonceMapping', version: '2', chainId: signatureChainId, verifyingContract: zeroAddress },
    types: { NonceMapping: FIELDS },
    primaryType: 'NonceMapping',
    value: { chainId: chain, wallet: account, depositor: account, id: orderId, nonce },
  });
  const mappings: NonceMappings = {
    typedData,
    refuse: (mapping, signature) => refusal(typedData(mapping), mapping, signature),
  };
  return Object.freeze(mappings);
}

function refusal(signed: TypedData, { account }: NonceMapping, signature: string): string | undefined {
  const key = keySignature(signature);
  if (key === undefined) return 'is not 65 bytes r, s and v as hex';
  // guard: mapping-low-s
  if (isHighS(key)) return 'is the twin with the higher s';
  // guard: mapping-signer
  if (recovered(digestOf(signed), key) !== account) return `was not made by ${account}, or for something else`;
  return undefined;
}
