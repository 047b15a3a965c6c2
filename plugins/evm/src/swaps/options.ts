export interface SwapOptions {
  readonly maxHops?: number;
  readonly maxAgeMs?: number;
  readonly through?: readonly string[];
  readonly uniswapV2?: { readonly factory: string; readonly router: string; readonly fee?: number };
  readonly uniswapV3?: {
    readonly factory: string;
    readonly router: string;
    readonly fees?: readonly number[];
    readonly words?: number;
  };
}

export const SWAP_DEFAULTS = Object.freeze({
  maxHops: 3,
  pairFee: 3_000,
  poolFees: Object.freeze([100, 500, 3_000, 10_000]),
  words: 8,
});
