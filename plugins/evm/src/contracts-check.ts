import type { Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { depositoryAbi, routerAbi, swapEntryAbi } from './abi.js';
import { asHex } from './addresses.js';
import { readAllowances } from './allowance.js';
import type { ChainConfig } from './chain-config.js';
import { checkFactory, FACTORY_OPTION } from './deposit-addresses/factory-check.js';
import { checkPermitEntry } from './permits/entry-check.js';
import { revertData } from './reverts.js';
import { checkTokens, tokenOptions, tokensOf } from './token-check.js';

export function checkedOptions(config: ChainConfig): readonly string[] {
  const approvals = tokensOf(config).map((_, n) => approvalOption(n));
  return [
    'contracts.depository',
    'contracts.router',
    'contracts.swapEntry',
    FACTORY_OPTION,
    'contracts.permitEntry',
    'contracts.permit2',
    'signers.allocator',
    'signers.fill',
    ...tokenOptions(config),
    ...approvals,
  ];
}

/** `fatal`: nothing could ever work, so the start must fail. */
export interface ContractFinding {
  readonly fatal: boolean;
  /** A promised feature cannot work, though the others do. */
  readonly failing?: true;
  readonly option: string;
  readonly message: string;
}

export interface ContractReport {
  readonly findings: readonly ContractFinding[];
  readonly allowances: ReadonlyMap<string, bigint>;
}

/**
 * Checks that the contracts exist, accept both keys and may spend the payout tokens, and that token metadata matches
 * the options.
 *
 * @param tokens Whether to check token metadata: only at first, as token issuers must not influence health.
 */
export async function checkContracts(
  provider: Provider,
  config: ChainConfig,
  roles: Roles,
  tokens = true,
): Promise<ContractReport> {
  const [missing, wrong] = await Promise.all([
    checkCode(provider, config),
    tokens ? checkTokens(provider, config) : [],
  ]);
  if (missing.length > 0) return { findings: [...missing, ...wrong], allowances: new Map() };
  const [known, entry, factory, permits, allowances] = await Promise.all([
    checkRoles(provider, config, roles),
    checkEntry(provider, config),
    checkFactory(provider, config),
    checkPermitEntry(provider, config),
    readAllowances(provider, config, roles.fill),
  ]);
  const made = factory === undefined ? [] : [{ fatal: true, option: FACTORY_OPTION, message: factory }];
  return {
    findings: [...known, ...entry, ...made, ...permits, ...wrong, ...barred(config, roles, allowances)],
    allowances,
  };
}

export interface Roles {
  readonly fill: string;
  readonly allocator: string;
  readonly sweeper?: string;
  readonly executors: readonly string[];
  /** Replaced fill signers. */
  readonly former: readonly string[];
}

async function checkCode(provider: Provider, config: ChainConfig): Promise<readonly ContractFinding[]> {
  const names = (['depository', 'router', 'swapEntry', 'depositAddresses', 'permitEntry', 'permit2'] as const).filter(
    (name) => config[name] !== undefined,
  );
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
    findings.push({ fatal: true, option: 'signers.allocator', message });
  }
  if (!decodeFunctionResult({ abi: routerAbi, functionName: 'fillers', data: allowed })) {
    const message = `the router does not allow ${roles.fill} to fill; its owner must call setFiller`;
    findings.push({ fatal: true, option: 'signers.fill', message });
  }
  return findings;
}

/** The entry deposits swap output into the depository that it was deployed with. */
async function checkEntry(
  provider: Provider,
  { swapEntry, depository }: ChainConfig,
): Promise<readonly ContractFinding[]> {
  if (swapEntry === undefined) return [];
  const data = encodeFunctionData({ abi: swapEntryAbi, functionName: 'depository' });
  const answer = await call(provider, swapEntry, data).catch((error: unknown): Hex => {
    if (error instanceof RpcError && revertData(error) !== undefined) return '0x';
    throw error;
  });
  const named = answer.length === 66 ? `0x${answer.slice(26)}`.toLowerCase() : 'nothing';
  if (named === depository) return [];
  const message = `the swap entry at ${swapEntry} deposits at ${named}, not at ${depository}`;
  return [{ fatal: true, option: 'contracts.swapEntry', message }];
}

/** A token that returns no allowance is tried with each fill. */
function barred(
  config: ChainConfig,
  { fill }: Roles,
  allowances: ReadonlyMap<string, bigint>,
): readonly ContractFinding[] {
  return tokensOf(config).flatMap(({ address, symbol }, n): readonly ContractFinding[] => {
    if (allowances.get(address) !== 0n) return [];
    const message = `${symbol}: the router may take none of it from ${fill}, so nothing is paid out in it; approve ${config.router} from there`;
    return [{ fatal: false, failing: true, option: approvalOption(n), message }];
  });
}

function approvalOption(n: number): string {
  return `currencies[${n}].address`;
}

function call(provider: Provider, to: Hex, data: Hex): Promise<Hex> {
  return provider.rpc.request<Hex>('eth_call', [{ to, data }, 'latest']);
}
