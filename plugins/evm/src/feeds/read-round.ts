import type { Hex } from '@causeway/core';
import { isTransportError, type Provider, RpcError } from '@causeway/core/rpc';
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import { revertData } from '../reverts.js';
import type { Round } from './judge-round.js';

const aggregatorAbi = parseAbi([
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function decimals() view returns (uint8)',
  'function description() view returns (string)',
]);

type Question = (typeof aggregatorAbi)[number]['name'];

/**
 * Calls made together leave as one batch.
 * @returns text if the contract is no aggregator.
 * @throws TransportError when the provider did not answer, RpcError when it refuses and the contract did not revert.
 */
export async function readRound(
  provider: Provider,
  address: Hex,
  ask: { readonly description: boolean },
): Promise<Round | string> {
  const call = async (functionName: Question): Promise<Hex> => {
    const data = encodeFunctionData({ abi: aggregatorAbi, functionName });
    return provider.rpc.request<Hex>('eth_call', [{ to: address, data }, 'latest']);
  };
  try {
    const [round, decimals, description] = await Promise.all([
      call('latestRoundData'),
      call('decimals'),
      ask.description ? call('description') : undefined,
    ]);
    const [roundId, answer, startedAt, updatedAt] = decodeFunctionResult({
      abi: aggregatorAbi,
      functionName: 'latestRoundData',
      data: round,
    });
    return {
      roundId,
      answer,
      startedAt,
      updatedAt,
      decimals: decodeFunctionResult({ abi: aggregatorAbi, functionName: 'decimals', data: decimals }),
      description:
        description === undefined
          ? ''
          : decodeFunctionResult({ abi: aggregatorAbi, functionName: 'description', data: description }),
    };
  } catch (error) {
    if (isTransportError(error) || (error instanceof RpcError && revertData(error) === undefined)) throw error;
    const text = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return `it does not answer as an aggregator does: ${text.slice(0, 120)}`;
  }
}
