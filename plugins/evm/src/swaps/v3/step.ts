import { amount0Between, amount1Between, priceAfterInput, priceAfterOutput } from './price-move.js';
import { divideUp } from './wide-math.js';

const MILLION = 1_000_000n;

export interface Step {
  readonly price: bigint;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly fee: bigint;
}

/**
 * Moves towards a price until it is reached or `left` is used up; equals the contracts to the unit.
 *
 * @param left of the input for an exact input, of the output for an exact output.
 */
export function stepTo(
  price: bigint,
  target: bigint,
  liquidity: bigint,
  left: bigint,
  feeMillionths: bigint,
  exactInput: boolean,
): Step | undefined {
  const zeroForOne = price >= target;
  const inTo = (to: bigint) =>
    zeroForOne ? amount0Between(to, price, liquidity, true) : amount1Between(price, to, liquidity, true);
  const outTo = (to: bigint) =>
    zeroForOne ? amount1Between(to, price, liquidity, false) : amount0Between(price, to, liquidity, false);
  let next: bigint | undefined;
  if (exactInput) {
    const usable = (left * (MILLION - feeMillionths)) / MILLION;
    next = usable >= inTo(target) ? target : priceAfterInput(price, liquidity, usable, zeroForOne);
  } else {
    next = left >= outTo(target) ? target : priceAfterOutput(price, liquidity, left, zeroForOne);
  }
  if (next === undefined) return undefined;
  const amountIn = inTo(next);
  const out = outTo(next);
  const amountOut = !exactInput && out > left ? left : out;
  const fee =
    exactInput && next !== target ? left - amountIn : divideUp(amountIn * feeMillionths, MILLION - feeMillionths);
  return { price: next, amountIn, amountOut, fee };
}
