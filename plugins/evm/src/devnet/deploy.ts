import { type Address, encodeFunctionData, type Hex, maxUint256 } from 'viem';
import { fillRouter, testToken } from '../generated/contracts.js';
import { deployer, users } from './accounts.js';
import { create2Deployer, type Deployment } from './create2.js';
import type { DeploymentPlan } from './plan.js';
import { quantity, rpc, rpcBatch } from './rpc.js';
import { type LocalTransaction, send } from './send.js';

export interface Funding {
  /** Native coin of the fill signer, wei. */
  readonly native: bigint;
  /** Whole tokens of each kind. */
  readonly solverTokens: bigint;
  readonly userTokens: bigint;
}

export const defaultFunding: Funding = {
  native: 1_000_000n * 10n ** 18n,
  solverTokens: 100_000_000n,
  userTokens: 1_000_000n,
};

/**
 * Deploys what has no code yet, allow-lists the fill signer, lets the router spend its tokens, and funds what is new: the
 * users with each token that was missing, a fill signer that never sent anything with everything. Idempotent.
 */
export async function setUpChain(url: string, plan: DeploymentPlan, funding: Funding): Promise<void> {
  const { fillSigner } = plan.roles;
  const isNewSigner = BigInt(await rpc<Hex>(url, 'eth_getTransactionCount', [fillSigner, 'latest'])) === 0n;
  if (isNewSigner) await rpc(url, 'anvil_setBalance', [fillSigner, quantity(funding.native)]);
  const missing = await withoutCode(url, [
    plan.depository,
    plan.router,
    plan.swapEntry,
    ...plan.tokens.map((token) => token.deployment),
  ]);
  const everybody = users.map((user) => user.address);
  await send(url, [
    ...missing.map(({ data }) => ({ from: deployer.address, to: create2Deployer, data, gas: 3_000_000n })),
    ...plan.tokens.flatMap(({ spec, deployment }) => {
      const unit = 10n ** BigInt(spec.decimals);
      const isNewToken = missing.includes(deployment);
      return [
        ...(isNewToken ? [mint(deployment.address, everybody, funding.userTokens * unit)] : []),
        ...(isNewToken || isNewSigner ? [mint(deployment.address, [fillSigner], funding.solverTokens * unit)] : []),
      ];
    }),
    ...(await missingFiller(url, plan)),
  ]);
  // In a later block than the deployments: an approval before its token has code would succeed and mean nothing.
  await send(url, await missingApprovals(url, plan));
}

async function withoutCode(url: string, deployments: readonly Deployment[]): Promise<readonly Deployment[]> {
  const codes = await rpcBatch<Hex>(
    url,
    deployments.map(({ address }) => ({ method: 'eth_getCode', params: [address, 'latest'] })),
  );
  return deployments.filter((_, i) => codes[i] === '0x');
}

async function missingFiller(url: string, plan: DeploymentPlan): Promise<readonly LocalTransaction[]> {
  const { fillSigner } = plan.roles;
  const to = plan.router.address;
  const query = encodeFunctionData({ abi: fillRouter.abi, functionName: 'fillers', args: [fillSigner] });
  if (isSet(await rpc<Hex>(url, 'eth_call', [{ to, data: query }, 'latest']))) return [];
  const data = encodeFunctionData({ abi: fillRouter.abi, functionName: 'setFiller', args: [fillSigner, true] });
  return [{ from: deployer.address, to, data, gas: 100_000n }];
}

async function missingApprovals(url: string, plan: DeploymentPlan): Promise<readonly LocalTransaction[]> {
  const from = plan.roles.fillSigner;
  const router = plan.router.address;
  const tokens = plan.tokens.map((token) => token.deployment.address);
  const query = encodeFunctionData({ abi: testToken.abi, functionName: 'allowance', args: [from, router] });
  const allowances = await rpcBatch<Hex>(
    url,
    tokens.map((to) => ({ method: 'eth_call', params: [{ to, data: query }, 'latest'] })),
  );
  const data = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [router, maxUint256] });
  return tokens.filter((_, i) => !isSet(allowances[i])).map((to) => ({ from, to, data, gas: 100_000n }));
}

function mint(to: Address, accounts: readonly Address[], amount: bigint): LocalTransaction {
  const data = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [accounts, amount] });
  return { from: deployer.address, to, data, gas: 500_000n };
}

/** A word other than zero. `0x` is the answer of an address without code. */
function isSet(word: Hex | undefined): boolean {
  return word !== undefined && word !== '0x' && BigInt(word) !== 0n;
}
