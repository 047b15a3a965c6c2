import { deployer, type VenueDeployment } from '@causeway/plugin-evm/devnet';
import { type Abi, type Address, type Hash, maxUint256, parseAbi, zeroAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type TestChain, tokenAbi } from './chain.js';
import { fund, newUser, type User, walletOf } from './wallet.js';

const pairAbi = parseAbi([
  'function getPair(address, address) view returns (address)',
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function addLiquidity(address tokenA, address tokenB, uint256 desiredA, uint256 desiredB, uint256 minA, uint256 minB, address to, uint256 deadline)',
  'function removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 minA, uint256 minB, address to, uint256 deadline)',
]);

const poolAbi = parseAbi([
  'struct Swap { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'struct Asked { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'struct Increase { uint256 tokenId; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; uint256 deadline; }',
  'struct Decrease { uint256 tokenId; uint128 liquidity; uint256 amount0Min; uint256 amount1Min; uint256 deadline; }',
  'struct Collect { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }',
  'function exactInputSingle(Swap params) payable returns (uint256)',
  'function quoteExactInputSingle(Asked params) returns (uint256 amountOut, uint160, uint32, uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function tokenOfOwnerByIndex(address, uint256) view returns (uint256)',
  'function positions(uint256) view returns (uint96, address, address token0, address token1, uint24 fee, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)',
  'function increaseLiquidity(Increase params) payable returns (uint128, uint256, uint256)',
  'function decreaseLiquidity(Decrease params) payable returns (uint256, uint256)',
  'function collect(Collect params) payable returns (uint256, uint256)',
]);

const GAS = 3_000_000n;
const MAX_UINT128 = 2n ** 128n - 1n;

export interface PoolOf {
  readonly chain: TestChain;
  readonly symbols: readonly [string, string];
  /** Millionths, of a V3 pool; absent: a V2 pair. */
  readonly fee?: number;
}

const OWNER: User = { ...deployer, account: privateKeyToAccount(deployer.privateKey) };

function venuesOf({ venues, name }: TestChain): VenueDeployment {
  if (venues === undefined) throw new Error(`${name} has no venues`);
  return venues;
}

async function does(chain: TestChain, user: User, to: Address, abi: Abi, call: string, args: unknown[]): Promise<Hash> {
  const hash = await walletOf(chain, user).writeContract({ address: to, abi, functionName: call, args, gas: GAS });
  const { status } = await chain.receipt(hash);
  if (status !== 'success') throw new Error(`${call} reverted on ${chain.name}`);
  return hash;
}

async function lets(chain: TestChain, user: User, symbol: string, spender: Address): Promise<void> {
  // Some tokens refuse to change a nonzero allowance.
  for (const amount of [0n, maxUint256])
    await does(chain, user, chain.currency(symbol), tokenAbi, 'approve', [spender, amount]);
}

/** The chain's own quote. */
export async function poolQuote({ chain, symbols, fee }: PoolOf, amount: bigint): Promise<bigint> {
  const venues = venuesOf(chain);
  const [tokenIn, tokenOut] = symbols.map((symbol) => chain.currency(symbol)) as [Address, Address];
  if (fee === undefined) {
    const args = [amount, [tokenIn, tokenOut]] as const;
    const call = { address: venues.pairRouter, abi: pairAbi, functionName: 'getAmountsOut', args } as const;
    return (await chain.client.readContract(call)).at(-1) ?? 0n;
  }
  const asked = { tokenIn, tokenOut, amountIn: amount, fee, sqrtPriceLimitX96: 0n };
  const { result } = await chain.client.simulateContract({
    ...{ address: venues.quoter, abi: poolAbi, functionName: 'quoteExactInputSingle', args: [asked] },
    account: OWNER.address,
  });
  return result[0];
}

/** A swap of the first symbol for the second that moves the price. */
export async function movePool(pool: PoolOf, amount: bigint): Promise<void> {
  const { chain, symbols, fee } = pool;
  const [input, output] = symbols;
  const venues = venuesOf(chain);
  const whale = newUser();
  await fund(chain, whale.address, { [input]: amount });
  const router = fee === undefined ? venues.pairRouter : venues.swapRouter;
  await lets(chain, whale, input, router);
  const [tokenIn, tokenOut, recipient] = [chain.currency(input), chain.currency(output), whale.address];
  if (fee === undefined) {
    const args = [amount, 0n, [tokenIn, tokenOut], recipient, maxUint256];
    await does(chain, whale, router, pairAbi, 'swapExactTokensForTokens', args);
  } else {
    const rest = { deadline: maxUint256, amountIn: amount, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n };
    await does(chain, whale, router, poolAbi, 'exactInputSingle', [{ tokenIn, tokenOut, fee, recipient, ...rest }]);
  }
}

/** Of both sides, smallest unit. */
export async function addLiquidity(pool: PoolOf, amounts: readonly [bigint, bigint]): Promise<void> {
  const { chain, symbols, fee } = pool;
  const venues = venuesOf(chain);
  const spender = fee === undefined ? venues.pairRouter : venues.positions;
  for (const [n, symbol] of symbols.entries()) {
    await fund(chain, OWNER.address, { [symbol]: amounts[n] ?? 0n });
    await lets(chain, OWNER, symbol, spender);
  }
  const tokens = symbols.map((symbol) => chain.currency(symbol));
  if (fee === undefined) {
    const args = [...tokens, ...amounts, 0n, 0n, OWNER.address, maxUint256];
    await does(chain, OWNER, spender, pairAbi, 'addLiquidity', args);
    return;
  }
  const [position] = await positionsIn(pool);
  if (position === undefined) throw new Error('no position has liquidity there');
  const isFirst = position.token0.toLowerCase() === tokens[0]?.toLowerCase();
  const [amount0Desired, amount1Desired] = isFirst ? amounts : [amounts[1], amounts[0]];
  const least = { amount0Min: 0n, amount1Min: 0n, deadline: maxUint256 };
  const args = [{ tokenId: position.id, amount0Desired, amount1Desired, ...least }];
  await does(chain, OWNER, spender, poolAbi, 'increaseLiquidity', args);
}

/** Removes a part of the liquidity, thousandths. */
export async function removeLiquidity(pool: PoolOf, part: bigint): Promise<void> {
  const { chain, symbols, fee } = pool;
  const venues = venuesOf(chain);
  const tokens = symbols.map((symbol) => chain.currency(symbol)) as [Address, Address];
  if (fee === undefined) {
    const call = { address: venues.pairFactory, abi: pairAbi, functionName: 'getPair', args: tokens } as const;
    const pair = await chain.client.readContract(call);
    if (pair === zeroAddress) throw new Error('there is no such pair');
    const shares = { address: pair, abi: tokenAbi, functionName: 'balanceOf', args: [OWNER.address] } as const;
    const liquidity = ((await chain.client.readContract(shares)) * part) / 1_000n;
    await does(chain, OWNER, pair, tokenAbi, 'approve', [venues.pairRouter, liquidity]);
    const args = [...tokens, liquidity, 0n, 0n, OWNER.address, maxUint256];
    await does(chain, OWNER, venues.pairRouter, pairAbi, 'removeLiquidity', args);
    return;
  }
  for (const { id, liquidity } of await positionsIn(pool)) {
    const least = { amount0Min: 0n, amount1Min: 0n, deadline: maxUint256 };
    const args = [{ tokenId: id, liquidity: (liquidity * part) / 1_000n, ...least }];
    await does(chain, OWNER, venues.positions, poolAbi, 'decreaseLiquidity', args);
    const all = [{ tokenId: id, recipient: OWNER.address, amount0Max: MAX_UINT128, amount1Max: MAX_UINT128 }];
    await does(chain, OWNER, venues.positions, poolAbi, 'collect', all);
  }
}

async function positionsIn({ chain, symbols, fee }: PoolOf) {
  const { client } = chain;
  const { positions: address } = venuesOf(chain);
  const tokens = symbols.map((symbol) => chain.currency(symbol).toLowerCase()).sort();
  const at = { address, abi: poolAbi } as const;
  const count = await client.readContract({ ...at, functionName: 'balanceOf', args: [OWNER.address] });
  const all = await Promise.all(
    Array.from({ length: Number(count) }, async (_, n) => {
      const args = [OWNER.address, BigInt(n)] as const;
      const id = await client.readContract({ ...at, functionName: 'tokenOfOwnerByIndex', args });
      const found = await client.readContract({ ...at, functionName: 'positions', args: [id] });
      return { id, token0: found[2], token1: found[3], fee: found[4], liquidity: found[7] };
    }),
  );
  return all.filter(
    (one) =>
      one.fee === fee &&
      one.liquidity > 0n &&
      [one.token0, one.token1]
        .map((a) => a.toLowerCase())
        .sort()
        .join() === tokens.join(),
  );
}
