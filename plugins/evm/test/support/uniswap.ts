import { createRequire } from 'node:module';
import {
  type Abi,
  type Account,
  type Address,
  type Chain,
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  maxUint256,
  type PublicClient,
  type Transport,
  type WalletClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';

const load = createRequire(import.meta.url);

/** Contracts of others, as their packages on npm have them compiled. */
function artifact(path: string): { readonly abi: Abi; readonly bytecode: Hex } {
  const { abi, bytecode } = load(path) as { readonly abi: Abi; readonly bytecode: string };
  return { abi, bytecode: (bytecode.startsWith('0x') ? bytecode : `0x${bytecode}`) as Hex };
}

const V3 = '@uniswap/v3-periphery/artifacts/contracts';

export const uniswapArtifacts = {
  wrapped: artifact('@uniswap/v2-periphery/build/WETH9.json'),
  pairFactory: artifact('@uniswap/v2-core/build/UniswapV2Factory.json'),
  pair: artifact('@uniswap/v2-core/build/UniswapV2Pair.json'),
  pairRouter: artifact('@uniswap/v2-periphery/build/UniswapV2Router02.json'),
  poolFactory: artifact('@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json'),
  pool: artifact('@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json'),
  positions: artifact(`${V3}/NonfungiblePositionManager.sol/NonfungiblePositionManager.json`),
  swapRouter: artifact(`${V3}/SwapRouter.sol/SwapRouter.json`),
  quoter: artifact(`${V3}/lens/QuoterV2.sol/QuoterV2.json`),
} as const;

export interface Uniswap {
  readonly wrapped: Address;
  readonly pairFactory: Address;
  readonly pairRouter: Address;
  readonly poolFactory: Address;
  readonly positions: Address;
  readonly swapRouter: Address;
  readonly quoter: Address;
}

/** The first development account of the node: rich, and never anybody's to lose. */
const ACCOUNT = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');

export interface Dealer {
  readonly client: PublicClient;
  readonly wallet: WalletClient<Transport, Chain, Account>;
  readonly uniswap: Uniswap;
  /** Sends a call and waits for it. @throws when it reverts. */
  write(address: Address, abi: Abi, functionName: string, args: readonly unknown[], value?: bigint): Promise<void>;
}

/** Pools write more in a new second than in the one that an estimate was made in. */
export const ENOUGH = 6_000_000n;

/** Deploys both generations of Uniswap, whole, as they are on public chains. */
export async function deployUniswap(rpcUrl: string, chainId: number): Promise<Dealer> {
  const transport = http(rpcUrl);
  const chain = { ...foundry, id: chainId };
  const client = createPublicClient({ chain, transport, pollingInterval: 20 });
  const wallet = createWalletClient({ account: ACCOUNT, chain, transport });
  const deploy = async (name: keyof typeof uniswapArtifacts, args: readonly unknown[]): Promise<Address> => {
    const hash = await wallet.deployContract({ ...uniswapArtifacts[name], args: [...args] });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error(`${name} was not deployed`);
    return contractAddress;
  };
  const wrapped = await deploy('wrapped', []);
  const pairFactory = await deploy('pairFactory', [ACCOUNT.address]);
  const pairRouter = await deploy('pairRouter', [pairFactory, wrapped]);
  const poolFactory = await deploy('poolFactory', []);
  const positions = await deploy('positions', [poolFactory, wrapped, wrapped]);
  const swapRouter = await deploy('swapRouter', [poolFactory, wrapped]);
  const quoter = await deploy('quoter', [poolFactory, wrapped]);
  return {
    client,
    wallet,
    uniswap: { wrapped, pairFactory, pairRouter, poolFactory, positions, swapRouter, quoter },
    write: async (address, abi, functionName, args, value = 0n) => {
      const hash = await wallet.writeContract({ address, abi, functionName, args, value, gas: ENOUGH });
      const { status } = await client.waitForTransactionReceipt({ hash });
      if (status !== 'success') throw new Error(`${functionName} reverted`);
    },
  };
}

const erc20 = [
  {
    type: 'function',
    name: 'approve',
    inputs: [
      { name: 'spender', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ],
    outputs: [],
    stateMutability: 'nonpayable',
  },
] as const satisfies Abi;

export async function approveAll({ write }: Dealer, token: Address, spender: Address): Promise<void> {
  await write(token, erc20, 'approve', [spender, maxUint256]);
}

/** Liquidity of the account of this helper in a pair of two tokens. */
export async function addPair(dealer: Dealer, sides: readonly [[Address, bigint], [Address, bigint]]): Promise<void> {
  const { uniswap, write, wallet } = dealer;
  const [[a, amountA], [b, amountB]] = sides;
  for (const token of [a, b]) await approveAll(dealer, token, uniswap.pairRouter);
  const args = [a, b, amountA, amountB, 0n, 0n, wallet.account.address, maxUint256];
  await write(uniswap.pairRouter, uniswapArtifacts.pairRouter.abi, 'addLiquidity', args);
}

export interface Position {
  readonly token0: Address;
  readonly token1: Address;
  readonly fee: number;
  /** Square root of token 1 for token 0, times 2^96; used where the pool is new. */
  readonly sqrtPrice: bigint;
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly amount0: bigint;
  readonly amount1: bigint;
}

/** Liquidity of the account of this helper in a range of a pool, which is made where there is none. */
export async function addPosition(dealer: Dealer, position: Position): Promise<void> {
  const { uniswap, write, wallet } = dealer;
  const { token0, token1, fee, sqrtPrice, tickLower, tickUpper, amount0, amount1 } = position;
  const { abi } = uniswapArtifacts.positions;
  for (const token of [token0, token1]) await approveAll(dealer, token, uniswap.positions);
  await write(uniswap.positions, abi, 'createAndInitializePoolIfNecessary', [token0, token1, fee, sqrtPrice]);
  const mint = {
    ...{ token0, token1, fee, tickLower, tickUpper, amount0Desired: amount0, amount1Desired: amount1 },
    ...{ amount0Min: 0n, amount1Min: 0n, recipient: wallet.account.address, deadline: maxUint256 },
  };
  await write(uniswap.positions, abi, 'mint', [mint]);
}
