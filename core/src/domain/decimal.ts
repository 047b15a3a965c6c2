/** Rounding of inexact results; `half` goes to the nearer, ties away from zero. */
export type Rounding = 'floor' | 'ceil' | 'half';

const POWERS = Array.from({ length: 100 }, (_, exponent) => 10n ** BigInt(exponent));

export function powerOfTen(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}

/** Exact quotient, rounded. Throws unless `denominator` is positive. */
export function divide(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  if (denominator <= 0n) throw new RangeError('division needs a positive denominator');
  const quotient = numerator / denominator;
  const rest = numerator - quotient * denominator;
  if (rest === 0n) return quotient;
  if (rounding === 'floor') return rest < 0n ? quotient - 1n : quotient;
  if (rounding === 'ceil') return rest > 0n ? quotient + 1n : quotient;
  const twice = rest < 0n ? -2n * rest : 2n * rest;
  if (twice < denominator) return quotient;
  return rest < 0n ? quotient - 1n : quotient + 1n;
}

/** Decimal text of `value / 10^digits` with exactly `digits` fraction digits; `1234500n, 6` is `1.234500`. */
export function fixedText(value: bigint, digits: number): string {
  const sign = value < 0n ? '-' : '';
  const text = (value < 0n ? -value : value).toString();
  if (digits === 0) return sign + text;
  const padded = text.length > digits ? text : text.padStart(digits + 1, '0');
  const point = padded.length - digits;
  return `${sign}${padded.slice(0, point)}.${padded.slice(point)}`;
}

/** As `fixedText` without trailing zeros; `1234500n, 6` is `1.2345`, `5000000n, 6` is `5`. */
export function decimalText(value: bigint, digits: number): string {
  if (digits === 0) return value.toString();
  const text = fixedText(value, digits);
  let end = text.length;
  while (text.charCodeAt(end - 1) === 48) end -= 1;
  return text.slice(0, text.charCodeAt(end - 1) === 46 ? end - 1 : end);
}

const DECIMAL = /^(\d+)(?:\.(\d+))?$/;

/**
 * Unsigned decimal text scaled by `10^digits`; undefined for other text (sign, exponent, separator, blank) or more
 * significant fraction digits.
 */
export function parseDecimal(text: string, digits: number): bigint | undefined {
  if (text.length > 200) return undefined;
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const whole = match[1] as string;
  const fraction = match[2] ?? '';
  if (fraction.length <= digits) return BigInt(whole + fraction.padEnd(digits, '0'));
  return /^0*$/.test(fraction.slice(digits)) ? BigInt(whole + fraction.slice(0, digits)) : undefined;
}
