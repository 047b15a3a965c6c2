import { decimalText, divide, powerOfTen } from '../domain/decimal.js';

/** Fraction digits of a USD price, as in `parsePrice`; further ones are rounded to the nearest. */
export const PRICE_DIGITS = 18;

export const ONE_USD = powerOfTen(PRICE_DIGITS);

/** Prices from 10^15 USD are invalid. */
const PRICE_LIMIT = powerOfTen(15 + PRICE_DIGITS);

/** A JSON number or decimal text, with bounded length so that arithmetic stays cheap. */
const NUMBER = /^(\d{1,60})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,2}))?$/;

/**
 * USD scaled by 10^18, without floats; undefined for a sign, zero, what rounds to zero, 10^15 and more, blanks, or
 * other text.
 */
export function readPrice(text: string): bigint | undefined {
  const match = NUMBER.exec(text);
  if (!match) return undefined;
  const fraction = match[2] ?? '';
  const digits = BigInt(`${match[1]}${fraction}`);
  const shift = PRICE_DIGITS + Number(match[3] ?? '0') - fraction.length;
  const price = shift >= 0 ? digits * powerOfTen(shift) : divide(digits, powerOfTen(-shift), 'half');
  return price > 0n && price < PRICE_LIMIT ? price : undefined;
}

export function priceText(price: bigint): string {
  return decimalText(price, PRICE_DIGITS);
}

/** Converts a price quoted in another asset; all scaled, rounded to the nearest. */
export function convertPrice(price: bigint, inAsset: bigint): bigint {
  return divide(price * inAsset, ONE_USD, 'half');
}
