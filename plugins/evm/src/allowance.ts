import type { Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { encodeFunctionData } from 'viem/utils';
import { erc20Abi } from './abi.js';
import { asHex } from './addresses.js';
import type { ChainConfig } from './chain-config.js';
import { revertData } from './reverts.js';

/** At the head, smallest unit. Omits tokens that do not answer. */
export async function readAllowances(
  provider: Provider,
  config: Pick<ChainConfig, 'router' | 'currencies'>,
  owner: string,
): Promise<ReadonlyMap<string, bigint>> {
  const tokens = [...config.currencies.values()].filter(({ isNative }) => !isNative);
  const read = await Promise.all(
    tokens.map(async ({ address }) => [address, await readAllowance(provider, config, owner, address)] as const),
  );
  return new Map(read.flatMap(([address, value]) => (value === undefined ? [] : [[address, value] as const])));
}

async function readAllowance(
  { rpc }: Provider,
  { router }: Pick<ChainConfig, 'router'>,
  owner: string,
  token: string,
): Promise<bigint | undefined> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [asHex(owner), router] });
  try {
    const answer = await rpc.request<Hex>('eth_call', [{ to: token, data }, 'latest']);
    return answer.length === 66 ? BigInt(answer) : undefined;
  } catch (error) {
    if (error instanceof RpcError && revertData(error) !== undefined) return undefined;
    throw error;
  }
}
