import type { Hex, RemoteSigner } from '@causeway/core';
import { hexToBigInt, hexToNumber } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

type Request = Readonly<Record<string, Hex | undefined>>;

/** Signs what it is asked for with a library of its own. */
export function remoteSignerOf(...keys: readonly Hex[]): RemoteSigner & { readonly asked: Request[] } {
  const accounts = keys.map((key) => privateKeyToAccount(key));
  const asked: Request[] = [];
  return {
    asked,
    id: 'vault',
    accounts: async () => accounts.map(({ address }) => address),
    sign: async (transaction) => {
      const request = transaction as Request;
      asked.push(request);
      const account = accounts.find(({ address }) => address.toLowerCase() === request['from']);
      if (account === undefined) throw new Error('no such account');
      return account.signTransaction({
        type: 'eip1559',
        ...(request['to'] ? { to: request['to'] } : {}),
        data: request['data'] ?? '0x',
        ...{ value: bigint(request, 'value'), gas: bigint(request, 'gas') },
        ...{ nonce: number(request, 'nonce'), chainId: number(request, 'chainId') },
        maxFeePerGas: bigint(request, 'maxFeePerGas'),
        maxPriorityFeePerGas: bigint(request, 'maxPriorityFeePerGas'),
      });
    },
  };
}

const bigint = (request: Request, field: string) => hexToBigInt(request[field] ?? '0x');
const number = (request: Request, field: string) => hexToNumber(request[field] ?? '0x');
