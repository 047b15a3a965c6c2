import { type Address, encodeFunctionData, type Hex, maxUint256, parseAbi } from 'viem';
import { testToken } from '../../generated/contracts.js';
import { create2Deployer } from '../../set-up/create2.js';
import { pairFactoryAbi, poolFactoryAbi, wrappedNativeAbi } from '../../swaps/abi.js';
import { deployer } from '../accounts.js';
import { isSet, quantity, rpc, rpcBatch } from '../rpc.js';
import { type LocalTransaction, send } from '../send.js';
import type { PlannedToken } from '../tokens.js';
import { type PoolSide, pairLiquidity, poolLiquidity } from './liquidity.js';
import type { VenuePlan } from './plan.js';
import { POOLS, type PoolPrices, type PoolSpec, worth } from './pools.js';
import { poolOf } from './ranges.js';

const erc20Abi = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function allowance(address owner, address spender) view returns (uint256)',
]);

const factoryAbi = parseAbi(['function enableFeeAmount(uint24 fee, int24 tickSpacing)']);

interface PlannedPool extends PoolSpec {
  readonly sides: readonly [PoolSide, PoolSide];
}

export async function missingPools(
  url: string,
  plan: VenuePlan,
  tokens: readonly PlannedToken[],
  prices: PoolPrices,
): Promise<readonly LocalTransaction[]> {
  const pools = await withoutPool(url, plan, planned(tokens, prices));
  if (pools.length === 0) return [];
  const from = deployer.address;
  const needed = new Map<Address, bigint>();
  for (const [token, amount] of pools.flatMap(({ sides }) => sides))
    needed.set(token, (needed.get(token) ?? 0n) + amount);
  const approvals = await missingApprovals(url, pools, plan);
  return [
    ...[...needed].map(([token, amount]) => made(token, amount, plan)),
    ...approvals,
    ...pools.map(({ fee, sides }) =>
      fee === undefined
        ? pairLiquidity(from, plan.pairRouter.address, sides)
        : poolLiquidity(from, plan.positions.address, ...poolOf(sides, fee)),
    ),
  ];
}

/**
 * Public chains enabled this fee by a vote. Here the factory belongs to its deployer, a contract that does nothing
 * else.
 */
export async function enableLowestFee(url: string, { poolFactory }: VenuePlan): Promise<void> {
  await rpc(url, 'anvil_setBalance', [create2Deployer, quantity(10n ** 18n)]);
  const data = encodeFunctionData({ abi: factoryAbi, functionName: 'enableFeeAmount', args: [100, 1] });
  await send(url, [{ from: create2Deployer, to: poolFactory.address, data, gas: 200_000n }]);
}

function planned(tokens: readonly PlannedToken[], prices: PoolPrices): readonly PlannedPool[] {
  const bySymbol = new Map(tokens.map((token) => [token.spec.symbol, token]));
  return POOLS.flatMap((pool): readonly PlannedPool[] => {
    const [a, b] = pool.symbols.map((symbol) => bySymbol.get(symbol));
    if (a === undefined || b === undefined) return [];
    const side = ({ spec, deployment }: PlannedToken): PoolSide => [deployment.address, worth(spec, pool.usd, prices)];
    return [{ ...pool, sides: [side(a), side(b)] }];
  });
}

async function withoutPool(
  url: string,
  plan: VenuePlan,
  pools: readonly PlannedPool[],
): Promise<readonly PlannedPool[]> {
  const found = await rpcBatch<Hex>(
    url,
    pools.map(({ fee, sides: [[a], [b]] }) => {
      const [to, data] =
        fee === undefined
          ? [plan.pairFactory.address, encodeFunctionData({ abi: pairFactoryAbi, args: [a, b] })]
          : [plan.poolFactory.address, encodeFunctionData({ abi: poolFactoryAbi, args: [a, b, fee] })];
      return { method: 'eth_call', params: [{ to, data }, 'latest'] };
    }),
  );
  return pools.filter((_, n) => !isSet(found[n]));
}

async function missingApprovals(
  url: string,
  pools: readonly PlannedPool[],
  plan: VenuePlan,
): Promise<readonly LocalTransaction[]> {
  const from = deployer.address;
  const pairs = new Map<string, readonly [Address, Address]>();
  for (const { fee, sides } of pools) {
    const spender = fee === undefined ? plan.pairRouter.address : plan.positions.address;
    for (const [token] of sides) pairs.set(`${token}${spender}`, [token, spender]);
  }
  const asked = [...pairs.values()];
  const standing = await rpcBatch<Hex>(
    url,
    asked.map(([to, spender]) => {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [from, spender] });
      return { method: 'eth_call', params: [{ to, data }, 'latest'] };
    }),
  );
  return asked
    .filter((_, n) => !isSet(standing[n]))
    .map(([to, spender]) => {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, maxUint256] });
      return { from, to, data, gas: 100_000n };
    });
}

function made(token: Address, amount: bigint, plan: VenuePlan): LocalTransaction {
  const from = deployer.address;
  if (token === plan.wrapped.address) {
    const data = encodeFunctionData({ abi: wrappedNativeAbi, functionName: 'deposit' });
    return { from, to: token, data, gas: 100_000n, value: amount };
  }
  const data = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [[from], amount] });
  return { from, to: token, data, gas: 200_000n };
}
