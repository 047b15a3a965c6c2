import type { Asker, Hex, NextNonce, NonceMapping, NonceMappings, TypedData } from '@causeway/core';
import { zeroAddress } from 'viem';
import { brief } from './brief.js';
import type { CheckDeps } from './check.js';
import { isHighS, keySignature, recovered } from './permits/signature.js';
import { digestOf } from './permits/typed-data.js';

const FIELDS = [
  { name: 'chainId', type: 'string' },
  { name: 'wallet', type: 'address' },
  { name: 'depositor', type: 'address' },
  { name: 'id', type: 'bytes32' },
  { name: 'nonce', type: 'uint256' },
] as const;

type Reading = Pick<CheckDeps, 'providers' | 'turns'>;

/**
 * EIP-712, as public clients sign it. Only keys sign, because only accounts with a key send transactions: a contract's
 * signature (EIP-1271) would name a transaction that never exists.
 *
 * @param chain name of the account's chain in orders.
 */
export function nonceMappings(chain: string, { providers, turns }: Reading): NonceMappings {
  const typedData = ({ account, nonce, orderId, signatureChainId }: NonceMapping): TypedData => ({
    domain: { name: 'RelayNonceMapping', version: '2', chainId: signatureChainId, verifyingContract: zeroAddress },
    types: { NonceMapping: FIELDS },
    primaryType: 'NonceMapping',
    value: { chainId: chain, wallet: account, depositor: account, id: orderId, nonce },
  });
  const next = async (account: string, asker: Asker): Promise<NextNonce> => {
    try {
      const ask = ['eth_getTransactionCount', [account, 'pending']] as const;
      const read = await turns.take(asker, () =>
        providers.onSide('trials', ({ rpc }) => rpc.request<Hex>(...ask), asker.signal),
      );
      if (read === undefined) return { is: 'unavailable', message: 'too many calls are tried at once' };
      return { is: 'known', nonce: BigInt(read).toString() };
    } catch (error) {
      return { is: 'unavailable', message: brief(error instanceof Error ? error.message : String(error)) };
    }
  };
  const mappings: NonceMappings = {
    next,
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
