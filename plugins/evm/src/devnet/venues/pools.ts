import type { TokenSpec } from '../tokens.js';

export type PoolPrices = Readonly<Record<string, number>>;

export const LOCAL_PRICES: PoolPrices = Object.freeze({ WETH: 3_000, GOV: 5 });

export interface PoolSpec {
  readonly symbols: readonly [string, string];
  /** Liquidity per side, USD. */
  readonly usd: number;
  /** V3 fee in millionths; absent: a V2 pair. */
  readonly fee?: number;
}

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

export function worth({ symbol, decimals }: TokenSpec, usd: number, prices: PoolPrices): bigint {
  const price = prices[symbol] ?? 1;
  return (BigInt(Math.round(usd * 1e6)) * 10n ** BigInt(decimals)) / BigInt(Math.round(price * 1e6));
}
