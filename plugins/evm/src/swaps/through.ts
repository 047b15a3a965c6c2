import type { SwapWish } from '@causeway/core';
import { otherToken, type Pool } from './pool.js';

export interface Passage {
  readonly pools: readonly Pool[];
  readonly tokens: readonly string[];
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly ticks: number;
}

/** Exact; undefined if a pool's liquidity does not suffice. */
export function through(
  pools: readonly Pool[],
  tokenIn: string,
  { kind, amount }: Pick<SwapWish, 'kind' | 'amount'>,
): Passage | undefined {
  const tokens = [tokenIn];
  for (const pool of pools) tokens.push(otherToken(pool, tokens.at(-1) as string));
  let [ticks, moved] = [0, amount];
  if (kind === 'exactInput') {
    for (const [index, pool] of pools.entries()) {
      const exchange = pool.exactInput(tokens[index] as string, moved);
      if (exchange === undefined) return undefined;
      moved = exchange.amountOut;
      ticks += exchange.ticks;
    }
    return { pools, tokens, amountIn: amount, amountOut: moved, ticks };
  }
  for (let index = pools.length - 1; index >= 0; index -= 1) {
    const exchange = (pools[index] as Pool).exactOutput(tokens[index] as string, moved);
    if (exchange === undefined) return undefined;
    moved = exchange.amountIn;
    ticks += exchange.ticks;
  }
  return { pools, tokens, amountIn: moved, amountOut: amount, ticks };
}
