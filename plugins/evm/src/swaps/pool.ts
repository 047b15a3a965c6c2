export interface Exchange {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Initialised ticks crossed, each of which costs gas. */
  readonly ticks: number;
}

/** A pool at one block. Exact: results equal those of the contract in the next transaction. */
export interface Pool {
  readonly address: string;
  /** Canonical addresses, sorted. */
  readonly token0: string;
  readonly token1: string;
  readonly fee: number;
  /** Undefined without output, or if unknown ticks would be crossed. */
  exactInput(tokenIn: string, amountIn: bigint): Exchange | undefined;
  /** Undefined if liquidity does not suffice, or if unknown ticks would be crossed. */
  exactOutput(tokenIn: string, amountOut: bigint): Exchange | undefined;
}

export function otherToken({ token0, token1 }: Pick<Pool, 'token0' | 'token1'>, token: string): string {
  return token === token0 ? token1 : token0;
}
