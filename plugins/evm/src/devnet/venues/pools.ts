import type { TokenSpec } from '../tokens.js';

/** USD prices by symbol. What is not named is worth one. */
export type PoolPrices = Readonly<Record<string, number>>;

/** As `config/local.yaml` prices them. */
export const LOCAL_PRICES: PoolPrices = Object.freeze({ WETH: 3_000, GOV: 5 });

export interface PoolSpec {
  readonly symbols: readonly [string, string];
  /** What lies on either side, USD. */
  readonly usd: number;
  /** Millionths, of a pool of the later generation; without it a pair of the earlier one. */
  readonly fee?: number;
}

/** Pools of a local chain. Between them any two of its usual tokens are a few hops apart. */
export const POOLS: readonly PoolSpec[] = Object.freeze([
  { symbols: ['WETH', 'USDC'], usd: 15_000_000 },
  { symbols: ['USDC', 'DAI'], usd: 10_000_000 },
  { symbols: ['GOV', 'WETH'], usd: 5_000_000 },
  { symbols: ['WETH', 'USDC'], usd: 10_000_000, fee: 500 },
  { symbols: ['WETH', 'USDC'], usd: 10_000_000, fee: 3_000 },
  { symbols: ['USDC', 'USDT'], usd: 10_000_000, fee: 100 },
  { symbols: ['WETH', 'DAI'], usd: 5_000_000, fee: 3_000 },
  { symbols: ['GOV', 'USDC'], usd: 5_000_000, fee: 3_000 },
]);

/** Smallest unit of a token that so many USD buy. */
export function worth({ symbol, decimals }: TokenSpec, usd: number, prices: PoolPrices): bigint {
  const price = prices[symbol] ?? 1;
  return (BigInt(Math.round(usd * 1e6)) * 10n ** BigInt(decimals)) / BigInt(Math.round(price * 1e6));
}
