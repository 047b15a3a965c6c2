import type { DevnetSeedResult } from '@causeway/core';
import { NATIVE } from '../addresses.js';
import type { EvmChainOptions } from '../options.js';
import type { SwapOptions } from '../swaps/options.js';
import type { KeyFile } from './key-files.js';
import type { LocalChainOptions } from './options.js';
import { contractsOf, type DeploymentPlan } from './plan.js';
import type { VenuePlan } from './venues/plan.js';

export const BLOCK_SECONDS = 1;

export interface SolverKeys {
  readonly fill: KeyFile;
  readonly allocator: KeyFile;
  readonly sweeper: KeyFile;
  readonly executor: KeyFile;
}

export function resolved(
  chain: LocalChainOptions,
  http: string,
  plan: DeploymentPlan,
  keys: SolverKeys,
  genesis: string,
): { readonly options: EvmChainOptions; readonly row: DevnetSeedResult['chains'][number] } {
  const contracts = { ...contractsOf(plan), ...wrappedNative(chain, plan) };
  const deployed = new Map(plan.tokens.map(({ spec, deployment }) => [spec.symbol, deployment.address.toLowerCase()]));
  const currencies = (chain.currencies ?? []).map((currency) => {
    if (currency.address !== 'devnet') return currency;
    const address = deployed.get(currency.symbol) ?? currency.address;
    return { ...currency, address, ...(currency.symbol === 'USDT' ? { approveReset: true } : {}) };
  });
  const native = { symbol: chain.currency?.symbol ?? 'ETH', address: NATIVE, decimals: chain.currency?.decimals ?? 18 };
  const ws = http.replace('http', 'ws');
  const options: EvmChainOptions = {
    ...chain,
    rpc: [{ http, ws }],
    publicRpcUrl: chain.publicRpcUrl || http,
    publicWsUrl: chain.publicWsUrl || ws,
    contracts: { ...chain.contracts, ...contracts },
    currencies,
    ...(chain.swaps && plan.venues && { swaps: resolvedSwaps(chain.swaps, plan.venues) }),
    signers: {
      fill: keys.fill.reference,
      allocator: keys.allocator.reference,
      sweeper: keys.sweeper.reference,
      executor: keys.executor.reference,
    },
    blockTimeMs: chain.blockTimeMs ?? BLOCK_SECONDS * 1000,
    anchor: chain.anchor ?? { height: 0, hash: genesis },
  };
  const row = {
    id: chain.id,
    vmType: 'evm',
    name: chain.name,
    rpcUrl: http,
    currencies: [native, ...currencies.map(({ symbol, address, decimals }) => ({ symbol, address, decimals }))],
    contracts,
  };
  return { options, row };
}

function wrappedNative({ contracts }: LocalChainOptions, { venues }: DeploymentPlan) {
  const given = contracts?.wrappedNative;
  if (given !== undefined && given !== 'devnet') return { wrappedNative: given.toLowerCase() };
  return venues && { wrappedNative: venues.wrapped.address.toLowerCase() };
}

interface Contracts {
  readonly factory: string;
  readonly router: string;
}

function resolvedSwaps({ uniswapV2, uniswapV3, ...rest }: SwapOptions, venues: VenuePlan): SwapOptions {
  const at = <C extends Contracts>(given: C, factory: keyof VenuePlan, router: keyof VenuePlan): C => ({
    ...given,
    factory: given.factory === 'devnet' ? venues[factory].address.toLowerCase() : given.factory,
    router: given.router === 'devnet' ? venues[router].address.toLowerCase() : given.router,
  });
  return {
    ...rest,
    ...(uniswapV2 && { uniswapV2: at(uniswapV2, 'pairFactory', 'pairRouter') }),
    ...(uniswapV3 && { uniswapV3: at(uniswapV3, 'poolFactory', 'swapRouter') }),
  };
}
