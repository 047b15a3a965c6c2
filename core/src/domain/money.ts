import { decimalText, divide, fixedText, parseDecimal, powerOfTen, type Rounding } from './decimal.js';

/** Fraction digits of a scaled price (`parsePrice`). */
export const PRICE_DIGITS = 18;
const PRICE_ONE = powerOfTen(PRICE_DIGITS);
const MICRO_DIGITS = 6;

export const MAX_UINT256 = 2n ** 256n - 1n;

const DIGITS = /^\d{1,78}$/;

export type ParsedAmount =
  | { readonly ok: true; readonly amount: bigint }
  | { readonly ok: false; readonly reason: string };

/** Reads an amount in the smallest unit: decimal digits only, no sign, at most 2^256 - 1. */
export function parseAmount(text: string): ParsedAmount {
  if (!DIGITS.test(text)) return { ok: false, reason: 'must be a decimal integer string without a sign' };
  const amount = BigInt(text);
  return amount <= MAX_UINT256 ? { ok: true, amount } : { ok: false, reason: 'must be at most 2^256 - 1' };
}

/** Reads whole units, e.g. `1.5` with 6 decimals is 1500000; digits beyond `decimals` are an error, never cut off. */
export function parseUnits(text: string, decimals: number): ParsedAmount {
  const amount = parseDecimal(text, decimals);
  if (amount === undefined)
    return { ok: false, reason: `must be a decimal number with at most ${decimals} fraction digits` };
  return amount <= MAX_UINT256 ? { ok: true, amount } : { ok: false, reason: 'is too large' };
}

/** Decimal text of an amount in whole units without trailing zeros (`amountFormatted`). */
export function formatUnits(amount: bigint, decimals: number): string {
  return decimalText(amount, decimals);
}

/** Cache: one quote parses the same few price texts about twenty times. */
const prices = new Map<string, bigint>();
const MAX_PRICES = 512;

/**
 * USD per whole unit scaled by 10^18. Throws on text that is not a positive decimal with at most 18 fraction digits.
 */
export function parsePrice(usd: string): bigint {
  const known = prices.get(usd);
  if (known !== undefined) return known;
  const price = parseDecimal(usd, PRICE_DIGITS);
  if (price === undefined || price <= 0n) throw new RangeError(`"${usd}" is not a USD price`);
  if (prices.size === MAX_PRICES) prices.clear();
  prices.set(usd, price);
  return price;
}

export function isPrice(usd: string): boolean {
  const price = parseDecimal(usd, PRICE_DIGITS);
  return price !== undefined && price > 0n;
}

/** Value of an amount in micro-USD (10^-6 USD). */
export function valueMicroUsd(amount: bigint, decimals: number, usd: string, rounding: Rounding): bigint {
  return divide(amount * parsePrice(usd) * powerOfTen(MICRO_DIGITS), powerOfTen(decimals) * PRICE_ONE, rounding);
}

/** Amount in the smallest unit worth that many micro-USD. */
export function amountFromMicroUsd(microUsd: bigint, decimals: number, usd: string, rounding: Rounding): bigint {
  return divide(microUsd * powerOfTen(decimals) * PRICE_ONE, parsePrice(usd) * powerOfTen(MICRO_DIGITS), rounding);
}

/** Micro-USD as USD text with six digits, e.g. `12.345600`. */
export function microUsdText(microUsd: bigint): string {
  return fixedText(microUsd, MICRO_DIGITS);
}

/** Six digits (`amountUsd`), rounded to the nearest. For display: money is never computed from it. */
export function usdValueText(amount: bigint, decimals: number, usd: string): string {
  return microUsdText(valueMicroUsd(amount, decimals, usd, 'half'));
}

/**
 * Exact rational arithmetic with one final rounding. Equal price texts convert by decimals alone and are not parsed.
 */
export function convert(
  amount: bigint,
  inDecimals: number,
  inUsd: string,
  outDecimals: number,
  outUsd: string,
  rounding: Rounding,
): bigint {
  const [numerator, denominator] = conversionRatio(inDecimals, inUsd, outDecimals, outUsd);
  return divide(amount * numerator, denominator, rounding);
}

export function conversionRatio(
  inDecimals: number,
  inUsd: string,
  outDecimals: number,
  outUsd: string,
): readonly [numerator: bigint, denominator: bigint] {
  if (inUsd !== outUsd) {
    return [parsePrice(inUsd) * powerOfTen(outDecimals), parsePrice(outUsd) * powerOfTen(inDecimals)];
  }
  return outDecimals >= inDecimals
    ? [powerOfTen(outDecimals - inDecimals), 1n]
    : [1n, powerOfTen(inDecimals - outDecimals)];
}
