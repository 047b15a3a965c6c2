import type { Hex } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { depositoryAbi, routerAbi } from './abi.js';
import { asHex } from './addresses.js';
import type { ChainConfig } from './chain-config.js';
import { checkTokens, tokenOptions } from './token-check.js';

/** Every option that `checkContracts` may find wrong, within the chain's options. */
export function checkedOptions(config: ChainConfig): readonly string[] {
  return ['contracts.depository', 'contracts.router', 'signers.allocator', 'signers.fill', ...tokenOptions(config)];
}

/** Something wrong with what is deployed. `fatal`: nothing could ever work, so starting would only hide it. */
export interface ContractFinding {
  readonly fatal: boolean;
  /** Path within the chain's options: one of `checkedOptions`. */
  readonly option: string;
  readonly message: string;
}

/** Whether the configured contracts are there, know our two roles, and tell of the tokens what the options say. */
export async function checkContracts(
  provider: Provider,
  config: ChainConfig,
  roles: Roles,
): Promise<readonly ContractFinding[]> {
  const [missing, tokens] = await Promise.all([checkCode(provider, config), checkTokens(provider, config)]);
  const known = missing.length > 0 ? [] : await checkRoles(provider, config, roles);
  return [...missing, ...known, ...tokens];
}

interface Roles {
  readonly fill: string;
  readonly allocator: string;
}

async function checkCode(provider: Provider, config: ChainConfig): Promise<readonly ContractFinding[]> {
  const names = ['depository', 'router'] as const;
  const codes = await Promise.all(
    names.map((name) => provider.rpc.request<Hex>('eth_getCode', [config[name], 'latest'])),
  );
  return names
    .filter((_, n) => (codes[n]?.length ?? 0) <= 2)
    .map((name) => ({ fatal: true, option: `contracts.${name}`, message: `no contract at ${config[name]}` }));
}

async function checkRoles(provider: Provider, config: ChainConfig, roles: Roles): Promise<readonly ContractFinding[]> {
  const findings: ContractFinding[] = [];
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
