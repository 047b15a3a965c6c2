import type { Exchange, Pool } from './pool.js';

const MILLION = 1_000_000n;

/** Pairs store reserves as uint112. */
const MAX_RESERVE = 2n ** 112n - 1n;

export class Pair implements Pool {
  readonly address: string;
  readonly token0: string;
  readonly token1: string;
  readonly fee: number;
  readonly #reserve0: bigint;
  readonly #reserve1: bigint;
  /** Millionths of the input after the fee. */
  readonly #kept: bigint;

  constructor(
    place: Pick<Pool, 'address' | 'token0' | 'token1' | 'fee'>,
    reserves: { readonly reserve0: bigint; readonly reserve1: bigint },
  ) {
    this.address = place.address;
    this.token0 = place.token0;
    this.token1 = place.token1;
    this.fee = place.fee;
    this.#reserve0 = reserves.reserve0;
    this.#reserve1 = reserves.reserve1;
    this.#kept = MILLION - BigInt(place.fee);
  }

  exactInput(tokenIn: string, amountIn: bigint): Exchange | undefined {
    const [reserveIn, reserveOut] = this.#reserves(tokenIn);
    if (amountIn <= 0n || reserveIn === 0n || reserveOut === 0n || reserveIn + amountIn > MAX_RESERVE) return undefined;
    const counted = amountIn * this.#kept;
    const amountOut = (counted * reserveOut) / (reserveIn * MILLION + counted);
    return amountOut > 0n ? { amountIn, amountOut, ticks: 0 } : undefined;
  }

  exactOutput(tokenIn: string, amountOut: bigint): Exchange | undefined {
    const [reserveIn, reserveOut] = this.#reserves(tokenIn);
    if (amountOut <= 0n || reserveIn === 0n || amountOut >= reserveOut) return undefined;
    const amountIn = (reserveIn * amountOut * MILLION) / ((reserveOut - amountOut) * this.#kept) + 1n;
    return reserveIn + amountIn > MAX_RESERVE ? undefined : { amountIn, amountOut, ticks: 0 };
  }

  #reserves(tokenIn: string): readonly [bigint, bigint] {
    return tokenIn === this.token0 ? [this.#reserve0, this.#reserve1] : [this.#reserve1, this.#reserve0];
  }
}
