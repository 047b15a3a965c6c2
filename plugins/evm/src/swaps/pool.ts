/** What a swap through one pool takes and gives, smallest units. */
export interface Exchange {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Initialised ticks that it passes; each takes gas of its own. 0 where a pool has none. */
  readonly ticks: number;
}

/** A pool as one block left it. Exact: what it answers is what the pool's contract would do in the next transaction. */
export interface Pool {
  readonly address: string;
  /** Canonical addresses, in the order of their bytes. */
  readonly token0: string;
  readonly token1: string;
  /** Millionths. */
  readonly fee: number;
  /** Undefined where the pool gives nothing for it, or nothing is known of the ticks that it would pass. */
  exactInput(tokenIn: string, amountIn: bigint): Exchange | undefined;
  /** Undefined where the pool cannot give so much, or nothing is known of the ticks that it would pass. */
  exactOutput(tokenIn: string, amountOut: bigint): Exchange | undefined;
}

export function otherToken({ token0, token1 }: Pick<Pool, 'token0' | 'token1'>, token: string): string {
  return token === token0 ? token1 : token0;
}
