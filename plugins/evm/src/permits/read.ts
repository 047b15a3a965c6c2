import type { Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import type { Abi } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { revertData } from '../reverts.js';

/**
 * Answer of a contract that the service does not know; undefined if it has no such function or answers something else.
 *
 * @throws TransportError, RpcError when the provider does not answer.
 */
export async function readAnswer<T>(
  provider: Provider,
  to: Hex,
  abi: Abi | readonly unknown[],
  functionName: string,
  args: readonly unknown[] = [],
): Promise<T | undefined> {
  const call = { abi: abi as Abi, functionName, args };
  let data: Hex;
  try {
    data = await provider.rpc.request<Hex>('eth_call', [{ to, data: encodeFunctionData(call) }, 'latest']);
  } catch (error) {
    if (error instanceof RpcError && (revertData(error) !== undefined || /revert|opcode/i.test(error.message)))
      return undefined;
    throw error;
  }
  try {
    return decodeFunctionResult({ ...call, data }) as T;
  } catch {
    return undefined;
  }
}
