import { divideUp, fits, Q96 } from './wide-math.js';

/** Prices are square roots times 2^96. */
export function amount0Between(one: bigint, other: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const [low, high] = one < other ? [one, other] : [other, one];
  const product = (liquidity << 96n) * (high - low);
  return roundUp ? divideUp(divideUp(product, high), low) : product / high / low;
}

export function amount1Between(one: bigint, other: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const product = liquidity * (one < other ? other - one : one - other);
  return roundUp ? divideUp(product, Q96) : product / Q96;
}

export function priceAfterInput(price: bigint, liquidity: bigint, amountIn: bigint, zeroForOne: boolean): bigint {
  if (!zeroForOne) return price + (amountIn << 96n) / liquidity;
  if (amountIn === 0n) return price;
  const whole = liquidity << 96n;
  const product = amountIn * price;
  if (fits(product) && fits(whole + product)) return divideUp(whole * price, whole + product);
  return divideUp(whole, whole / price + amountIn);
}

export function priceAfterOutput(
  price: bigint,
  liquidity: bigint,
  amountOut: bigint,
  zeroForOne: boolean,
): bigint | undefined {
  if (liquidity === 0n) return undefined;
  if (zeroForOne) {
    const fall = divideUp(amountOut << 96n, liquidity);
    return price > fall ? price - fall : undefined;
  }
  if (amountOut === 0n) return price;
  const whole = liquidity << 96n;
  const product = amountOut * price;
  if (!fits(product) || whole <= product) return undefined;
  return divideUp(whole * price, whole - product);
}
