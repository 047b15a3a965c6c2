import { decimalText, divide, fixedText, powerOfTen } from './decimal.js';

export const BPS = 10_000n;

/** In percent with two digits, e.g. `-0.25`; `0.00` when the denominator is not positive. */
export function percentText(numerator: bigint, denominator: bigint): string {
  return denominator > 0n ? fixedText(divide(numerator * BPS, denominator, 'half'), 2) : '0.00';
}

export function bpsPercentText(bps: number): string {
  return fixedText(BigInt(bps), 2);
}

/** Output per input, both in whole units, with up to 18 digits (`details.rate`); `0` for no input. */
export function rateText(amountIn: bigint, inDecimals: number, amountOut: bigint, outDecimals: number): string {
  if (amountIn <= 0n) return '0';
  const scaled = divide(amountOut * powerOfTen(inDecimals + 18), amountIn * powerOfTen(outDecimals), 'half');
  return decimalText(scaled, 18);
}
