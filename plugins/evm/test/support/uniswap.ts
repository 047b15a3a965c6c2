import { createRequire } from 'node:module';
import {
  type Abi,
  type Account,
  type Address,
  type Chain,
  createPublicClient,
  createWalletClient,
  http,
  maxUint256,
  type PublicClient,
  type Transport,
  type WalletClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { deployAll } from '../../src/devnet/deploy.js';
import { send } from '../../src/devnet/send.js';
import { venueArtifacts } from '../../src/devnet/venues/artifacts.js';
import {
  type Pool,
  type PoolSide,
  pairLiquidity,
  poolLiquidity,
  type Range,
} from '../../src/devnet/venues/liquidity.js';
import { planVenues, type VenueAddresses, venueAddresses } from '../../src/devnet/venues/plan.js';
import { pollReceipts } from './receipts.js';

const load = createRequire(import.meta.url);

function abiAt(path: string): { readonly abi: Abi } {
  return { abi: (load(path) as { readonly abi: Abi }).abi };
}

function installed() {
  const artifacts = venueArtifacts();
  if (artifacts === undefined) throw new Error('the contracts of Uniswap are not installed');
  return artifacts;
}

export const uniswapArtifacts = {
  ...installed(),
  pair: abiAt('@uniswap/v2-core/build/UniswapV2Pair.json'),
  pool: abiAt('@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json'),
} as const;

export type Uniswap = VenueAddresses;

const ACCOUNT = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');

export interface Dealer {
  readonly client: PublicClient;
  readonly wallet: WalletClient<Transport, Chain, Account>;
  readonly rpcUrl: string;
  readonly uniswap: Uniswap;
  /** @throws when it reverts. */
  write(address: Address, abi: Abi, functionName: string, args: readonly unknown[], value?: bigint): Promise<void>;
}

/** Pools write more in a new second than in that of the estimate. */
export const ENOUGH = 6_000_000n;

export async function deployUniswap(rpcUrl: string, chainId: number): Promise<Dealer> {
  const transport = http(rpcUrl);
  const chain = { ...foundry, id: chainId };
  const client = createPublicClient({ chain, transport, pollingInterval: 20 }).extend(pollReceipts);
  const wallet = createWalletClient({ account: ACCOUNT, chain, transport });
  const plan = planVenues(uniswapArtifacts);
  await deployAll(rpcUrl, Object.values(plan));
  return {
    client,
    wallet,
    rpcUrl,
    uniswap: venueAddresses(plan),
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

export async function addPair(dealer: Dealer, sides: readonly [PoolSide, PoolSide]): Promise<void> {
  const { uniswap, wallet, rpcUrl } = dealer;
  for (const [token] of sides) await approveAll(dealer, token, uniswap.pairRouter);
  await send(rpcUrl, [pairLiquidity(wallet.account.address, uniswap.pairRouter, sides)]);
}

export interface Position extends Pool, Range {}

/** Creates the pool if missing. */
export async function addPosition(dealer: Dealer, position: Position): Promise<void> {
  const { uniswap, wallet, rpcUrl } = dealer;
  for (const token of [position.token0, position.token1]) await approveAll(dealer, token, uniswap.positions);
  await send(rpcUrl, [poolLiquidity(wallet.account.address, uniswap.positions, position, [position])]);
}
