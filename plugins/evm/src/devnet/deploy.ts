import { type Address, encodeFunctionData, type Hex } from 'viem';
import { testToken } from '../generated/contracts.js';
import type { EvmChainOptions } from '../options.js';
import { create2Deployer, type Deployment } from '../set-up/create2.js';
import { tokenAbi, wrappedNativeAbi } from '../swaps/abi.js';
import { deployer, users } from './accounts.js';
import type { DeploymentPlan } from './plan.js';
import { quantity, rpc, rpcBatch } from './rpc.js';
import { type LocalTransaction, send } from './send.js';
import { setUpSolver } from './solver.js';
import type { PlannedToken } from './tokens.js';
import { LOCAL_PRICES, type PoolPrices } from './venues/pools.js';
import { enableLowestFee, missingPools } from './venues/set-up.js';

export interface Funding {
  readonly native: bigint;
  /** wei; gas for sweeps, and as much for calls. */
  readonly sweeperNative: bigint;
  readonly solverTokens: bigint;
  readonly userTokens: bigint;
  readonly solverWrapped: bigint;
  readonly userWrapped: bigint;
}

export const defaultFunding: Funding = {
  native: 1_000_000n * 10n ** 18n,
  sweeperNative: 1_000n * 10n ** 18n,
  solverTokens: 100_000_000n,
  userTokens: 1_000_000n,
  solverWrapped: 100_000n,
  userWrapped: 1_000n,
};

/** wei; wrapped by the deployer. */
const DEPLOYER_NATIVE = 10_000_000n * 10n ** 18n;

/**
 * Idempotent: deploys tokens, Permit2 and venues without code, funds users with missing tokens and signers without
 * transactions, has the solver set up, and creates missing pools.
 *
 * @param chain resolved options.
 */
export async function setUpChain(
  url: string,
  chain: EvmChainOptions,
  plan: DeploymentPlan,
  funding: Funding,
  prices: PoolPrices = LOCAL_PRICES,
): Promise<void> {
  const { fillSigner, sweeper, executor } = plan.roles;
  const isNewSigner = await fundNew(url, fillSigner.address, funding.native);
  if (sweeper !== undefined) await fundNew(url, sweeper, funding.sweeperNative);
  if (executor !== undefined) await fundNew(url, executor, funding.sweeperNative);
  const missing = await withoutCode(url, [
    plan.permit2,
    ...Object.values(plan.venues ?? {}),
    ...plan.tokens.map((token) => token.deployment).filter((token) => token !== plan.venues?.wrapped),
  ]);
  if (plan.venues && missing.length > 0)
    await rpc(url, 'anvil_setBalance', [deployer.address, quantity(DEPLOYER_NATIVE)]);
  await send(url, [
    ...missing.map(create),
    ...plan.tokens.flatMap((token) =>
      grants(token, fillSigner.address, funding, { token: missing.includes(token.deployment), signer: isNewSigner }),
    ),
  ]);
  if (plan.venues && missing.includes(plan.venues.poolFactory)) await enableLowestFee(url, plan.venues);
  // After the tokens: an approval before its token has code would succeed without effect.
  await setUpSolver(url, chain, plan.roles);
  if (plan.venues !== undefined) await send(url, await missingPools(url, plan.venues, plan.tokens, prices));
}

async function fundNew(url: string, signer: Address, native: bigint): Promise<boolean> {
  const isNew = BigInt(await rpc<Hex>(url, 'eth_getTransactionCount', [signer, 'latest'])) === 0n;
  if (isNew) await rpc(url, 'anvil_setBalance', [signer, quantity(native)]);
  return isNew;
}

export async function deployAll(url: string, deployments: readonly Deployment[]): Promise<void> {
  await send(url, (await withoutCode(url, deployments)).map(create));
}

function create({ data }: Deployment): LocalTransaction {
  const bytes = BigInt(data.length / 2);
  return { from: deployer.address, to: create2Deployer, data, gas: 1_000_000n + 250n * bytes };
}

function grants(
  { spec, deployment: { address }, source }: PlannedToken,
  fillSigner: Address,
  funding: Funding,
  fresh: { readonly token: boolean; readonly signer: boolean },
): readonly LocalTransaction[] {
  const unit = 10n ** BigInt(spec.decimals);
  const everybody = fresh.token ? users.map((user) => user.address) : [];
  const solver = source !== 'pooled' && (fresh.token || fresh.signer) ? [fillSigner] : [];
  if (source === 'wrapped')
    return [
      ...wrapFor(address, everybody, funding.userWrapped * unit),
      ...wrapFor(address, solver, funding.solverWrapped * unit),
    ];
  return [
    ...(everybody.length > 0 ? [mint(address, everybody, funding.userTokens * unit)] : []),
    ...(solver.length > 0 ? [mint(address, solver, funding.solverTokens * unit)] : []),
  ];
}

async function withoutCode(url: string, deployments: readonly Deployment[]): Promise<readonly Deployment[]> {
  const codes = await rpcBatch<Hex>(
    url,
    deployments.map(({ address }) => ({ method: 'eth_getCode', params: [address, 'latest'] })),
  );
  return deployments.filter((_, i) => codes[i] === '0x');
}

function mint(to: Address, accounts: readonly Address[], amount: bigint): LocalTransaction {
  const data = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [accounts, amount] });
  return { from: deployer.address, to, data, gas: 500_000n };
}

function wrapFor(wrapped: Address, accounts: readonly Address[], amount: bigint): readonly LocalTransaction[] {
  if (accounts.length === 0) return [];
  const base = { from: deployer.address, to: wrapped, gas: 100_000n };
  const deposit = encodeFunctionData({ abi: wrappedNativeAbi, functionName: 'deposit' });
  return [
    { ...base, data: deposit, value: amount * BigInt(accounts.length) },
    ...accounts.map((account) => {
      const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [account, amount] });
      return { ...base, data };
    }),
  ];
}
