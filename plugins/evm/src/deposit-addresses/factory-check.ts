import type { Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { encodeFunctionData } from 'viem/utils';
import { depositAddressesAbi, depositoryAbi } from '../abi.js';
import type { ChainConfig } from '../chain-config.js';
import { revertData } from '../reverts.js';
import { forwardersOf } from './forwarder.js';

export const FACTORY_OPTION = 'contracts.depositAddresses';

const SALT: Hex = `0x${'5a'.repeat(32)}`;

/**
 * Why addresses of this contract must not be used: it sweeps to another depository, its addresses differ from those
 * that this plugin derives, or the depository does not accept native coin from it. Undefined: no objection.
 */
export async function checkFactory(
  provider: Provider,
  { depositAddresses, depository }: Pick<ChainConfig, 'depositAddresses' | 'depository'>,
): Promise<string | undefined> {
  if (depositAddresses === undefined) return undefined;
  const [named, derived, taken] = await Promise.all([
    answerOf(provider, depositAddresses, encodeFunctionData({ abi: depositAddressesAbi, functionName: 'depository' })),
    answerOf(
      provider,
      depositAddresses,
      encodeFunctionData({ abi: depositAddressesAbi, functionName: 'addressOf', args: [SALT] }),
    ),
    answerOf(provider, depository, encodeFunctionData({ abi: depositoryAbi, functionName: 'takeSwept' })),
  ]);
  if (addressIn(named) !== depository)
    return `the deposit addresses of ${depositAddresses} pay ${addressIn(named) ?? 'no address'}, not ${depository}`;
  // guard: evm-derived-as-deployed
  if (addressIn(derived) !== forwardersOf(depositAddresses)(SALT))
    return `${depositAddresses} derives other deposit addresses than this version: deploy the contract of this version`;
  if (taken === undefined)
    return `the depository at ${depository} cannot receive sweeps: deploy the contract of this version`;
  return undefined;
}

function addressIn(answer: Hex | undefined): string | undefined {
  return answer?.length === 66 ? `0x${answer.slice(26)}`.toLowerCase() : undefined;
}

/** Result of a call; undefined if it reverts. */
async function answerOf(provider: Provider, to: Hex, data: Hex): Promise<Hex | undefined> {
  try {
    return await provider.rpc.request<Hex>('eth_call', [{ to, data }, 'latest']);
  } catch (error) {
    if (error instanceof RpcError && revertData(error) !== undefined) return undefined;
    throw error;
  }
}
