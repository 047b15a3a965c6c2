import type { Exchange, Pool } from '../pool.js';
import { stepTo } from './step.js';
import { MAX_TICK, sqrtPriceAt } from './tick-price.js';

export interface Tick {
  readonly index: number;
  /** Change of liquidity when the price rises past it. */
  readonly liquidityNet: bigint;
}

export interface ConcentratedState {
  /** Square root of the price of token 0 in token 1, times 2^96. */
  readonly sqrtPrice: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  readonly tickSpacing: number;
  /** All initialised ticks from `lowest` to `highest`, ascending. */
  readonly ticks: readonly Tick[];
  readonly lowest: number;
  readonly highest: number;
}

/** The contracts search ticks within one bitmap word at a time and round each such step. */
const TICKS_PER_WORD = 256;
/** More than any swap worth its gas. */
const MAX_STEPS = 2_000;

/** Concentrated liquidity (Uniswap V3). */
export class ConcentratedPool implements Pool {
  readonly address: string;
  readonly token0: string;
  readonly token1: string;
  readonly fee: number;
  readonly #state: ConcentratedState;
  readonly #fee: bigint;
  constructor(place: Pick<Pool, 'address' | 'token0' | 'token1' | 'fee'>, state: ConcentratedState) {
    this.address = place.address;
    this.token0 = place.token0;
    this.token1 = place.token1;
    this.fee = place.fee;
    this.#fee = BigInt(place.fee);
    this.#state = state;
  }

  exactInput(tokenIn: string, amountIn: bigint): Exchange | undefined {
    return amountIn > 0n ? this.#swap(tokenIn === this.token0, amountIn, true) : undefined;
  }

  exactOutput(tokenIn: string, amountOut: bigint): Exchange | undefined {
    return amountOut > 0n ? this.#swap(tokenIn === this.token0, amountOut, false) : undefined;
  }

  /** As `UniswapV3Pool.swap` without a price limit. */
  #swap(zeroForOne: boolean, amount: bigint, exactInput: boolean): Exchange | undefined {
    let { sqrtPrice: price, tick, liquidity } = this.#state;
    if (price === 0n) return undefined;
    let [left, passed] = [amount, 0];
    let [amountIn, amountOut] = [0n, 0n];
    for (let steps = 0; left > 0n; steps += 1) {
      const next = this.#nextTick(tick, zeroForOne);
      if (next === undefined || steps >= MAX_STEPS) return undefined;
      const target = sqrtPriceAt(next.index);
      const step = stepTo(price, target, liquidity, left, this.#fee, exactInput);
      if (step === undefined) return undefined;
      amountIn += step.amountIn + step.fee;
      amountOut += step.amountOut;
      left -= exactInput ? step.amountIn + step.fee : step.amountOut;
      price = step.price;
      if (price !== target) break;
      if (next.liquidityNet !== undefined) {
        liquidity += zeroForOne ? -next.liquidityNet : next.liquidityNet;
        passed += 1;
      }
      tick = zeroForOne ? next.index - 1 : next.index;
    }
    if (amountOut <= 0n || (left > 0n && !exactInput)) return undefined;
    return { amountIn, amountOut, ticks: passed };
  }

  #nextTick(tick: number, zeroForOne: boolean): { readonly index: number; readonly liquidityNet?: bigint } | undefined {
    const { tickSpacing, lowest, highest } = this.#state;
    const compressed = Math.floor(tick / tickSpacing);
    const from = zeroForOne ? compressed : compressed + 1;
    const word = Math.floor(from / TICKS_PER_WORD);
    const end = (zeroForOne ? word * TICKS_PER_WORD : word * TICKS_PER_WORD + TICKS_PER_WORD - 1) * tickSpacing;
    const at = from * tickSpacing;
    const found = zeroForOne ? this.#last(at) : this.#first(at);
    const isHere = found !== undefined && (zeroForOne ? found.index >= end : found.index <= end);
    const index = isHere ? found.index : Math.max(-MAX_TICK, Math.min(MAX_TICK, end));
    if (index < lowest || index > highest) return undefined;
    return isHere ? found : { index };
  }

  #last(at: number): Tick | undefined {
    return this.#state.ticks[this.#above(at) - 1];
  }

  #first(at: number): Tick | undefined {
    return this.#state.ticks[this.#above(at - 1)];
  }

  #above(at: number): number {
    const { ticks } = this.#state;
    let [low, high] = [0, ticks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ticks[middle] as Tick).index <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
