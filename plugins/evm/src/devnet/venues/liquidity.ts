import { type Address, encodeFunctionData, maxUint256, parseAbi } from 'viem';
import type { LocalTransaction } from '../send.js';

const routerAbi = parseAbi([
  'function addLiquidity(address tokenA, address tokenB, uint256 desiredA, uint256 desiredB, uint256 minA, uint256 minB, address to, uint256 deadline)',
]);

const positionsAbi = parseAbi([
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)',
  'function mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline) params) payable returns (uint256, uint128, uint256, uint256)',
  'function multicall(bytes[] data) payable returns (bytes[])',
]);

const PAIR_GAS = 4_000_000n;
const POOL_GAS = 8_000_000n;

export type PoolSide = readonly [Address, bigint];

export function pairLiquidity(from: Address, router: Address, sides: readonly [PoolSide, PoolSide]): LocalTransaction {
  const [[a, amountA], [b, amountB]] = sides;
  const args = [a, b, amountA, amountB, 0n, 0n, from, maxUint256] as const;
  return {
    from,
    to: router,
    data: encodeFunctionData({ abi: routerAbi, functionName: 'addLiquidity', args }),
    gas: PAIR_GAS,
  };
}

export interface Range {
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly amount0: bigint;
  readonly amount1: bigint;
}

export interface Pool {
  readonly token0: Address;
  readonly token1: Address;
  readonly fee: number;
  /** Square root of token 1 per token 0, times 2^96; used for a new pool. */
  readonly sqrtPrice: bigint;
}

export function poolLiquidity(
  from: Address,
  positions: Address,
  { token0, token1, fee, sqrtPrice }: Pool,
  ranges: readonly Range[],
): LocalTransaction {
  const abi = positionsAbi;
  const create = encodeFunctionData({
    abi,
    functionName: 'createAndInitializePoolIfNecessary',
    args: [token0, token1, fee, sqrtPrice],
  });
  const mints = ranges.map(({ tickLower, tickUpper, amount0, amount1 }) => {
    const sides = { amount0Desired: amount0, amount1Desired: amount1, amount0Min: 0n, amount1Min: 0n };
    const position = { token0, token1, fee, tickLower, tickUpper, ...sides, recipient: from, deadline: maxUint256 };
    return encodeFunctionData({ abi, functionName: 'mint', args: [position] });
  });
  const data = encodeFunctionData({ abi, functionName: 'multicall', args: [[create, ...mints]] });
  return { from, to: positions, data, gas: POOL_GAS };
}
