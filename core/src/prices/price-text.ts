import { decimalText, divide, powerOfTen } from '../domain/decimal.js';

/** Fraction digits of a USD price, as `parsePrice` takes them. What a provider says beyond them is rounded to the nearest. */
export const PRICE_DIGITS = 18;

/** One USD. */
export const ONE_USD = powerOfTen(PRICE_DIGITS);

/** A price at or above it is nonsense: 10^15 USD. */
const TOO_MUCH = powerOfTen(15 + PRICE_DIGITS);

/** A JSON number, or decimal text: short enough that no answer makes us compute with giants. */
const NUMBER = /^(\d{1,60})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,2}))?$/;

/**
 * USD scaled by 10^18 that a text says, exact up to 18 fraction digits; undefined for what is no price: a sign, zero,
 * what rounds to zero, 10^15 and more, blanks, anything else. No float is involved.
 */
export function readPrice(text: string): bigint | undefined {
  const match = NUMBER.exec(text);
  if (!match) return undefined;
  const fraction = match[2] ?? '';
  const digits = BigInt(`${match[1]}${fraction}`);
  const shift = PRICE_DIGITS + Number(match[3] ?? '0') - fraction.length;
  const price = shift >= 0 ? digits * powerOfTen(shift) : divide(digits, powerOfTen(-shift), 'half');
  return price > 0n && price < TOO_MUCH ? price : undefined;
}

/** Exact decimal text of a scaled price: `3021.57`. */
export function priceText(price: bigint): string {
  return decimalText(price, PRICE_DIGITS);
}

/** A price that was told in another asset: both scaled, the product too, rounded to the nearest. */
export function convertPrice(price: bigint, inAsset: bigint): bigint {
  return divide(price * inAsset, ONE_USD, 'half');
}
