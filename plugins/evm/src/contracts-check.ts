import type { Hex } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { depositoryAbi, routerAbi } from './abi.js';
import { asHex } from './addresses.js';
import type { ChainConfig } from './chain-config.js';

export const CHECKED_OPTIONS = [
  'contracts.depository',
  'contracts.router',
  'signers.allocator',
  'signers.fill',
] as const;

/** Something wrong with what is deployed. `fatal`: nothing could ever work, so starting would only hide it. */
export interface ContractFinding {
  readonly fatal: boolean;
  /** Path within the chain's options. */
  readonly option: (typeof CHECKED_OPTIONS)[number];
  readonly message: string;
}

/** Whether the configured contracts are there and know our two roles. */
export async function checkContracts(
  provider: Provider,
  config: ChainConfig,
  roles: { readonly fill: string; readonly allocator: string },
): Promise<readonly ContractFinding[]> {
  const findings: ContractFinding[] = [];
  for (const name of ['depository', 'router'] as const) {
    const code = await provider.rpc.request<Hex>('eth_getCode', [config[name], 'latest']);
    if (code.length <= 2) {
      findings.push({ fatal: true, option: `contracts.${name}`, message: `no contract at ${config[name]}` });
    }
  }
  if (findings.length > 0) return findings;
  const [allocator, allowed] = await Promise.all([
    call(provider, config.depository, encodeFunctionData({ abi: depositoryAbi, functionName: 'allocator' })),
    call(
      provider,
      config.router,
      encodeFunctionData({ abi: routerAbi, functionName: 'fillers', args: [asHex(roles.fill)] }),
    ),
  ]);
  const named = decodeFunctionResult({ abi: depositoryAbi, functionName: 'allocator', data: allocator }).toLowerCase();
  if (named !== roles.allocator) {
    const message = `the depository's allocator is ${named}, not ${roles.allocator}: refunds and collects would fail`;
    findings.push({ fatal: false, option: 'signers.allocator', message });
  }
  if (!decodeFunctionResult({ abi: routerAbi, functionName: 'fillers', data: allowed })) {
    const message = `the router does not allow ${roles.fill} to fill; its owner must call setFiller`;
    findings.push({ fatal: false, option: 'signers.fill', message });
  }
  return findings;
}

function call(provider: Provider, to: Hex, data: Hex): Promise<Hex> {
  return provider.rpc.request<Hex>('eth_call', [{ to, data }, 'latest']);
}
