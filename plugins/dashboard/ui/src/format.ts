/** Amount in the smallest unit as decimal text, with thousands separated; exact. */
export function amountText(amount: string | bigint, decimals: number): string {
  const value = typeof amount === 'bigint' ? amount : BigInt(/^-?\d+$/.test(amount) ? amount : '0');
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${sign}${grouped(whole)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** At most `most` significant decimals, cut rather than rounded: an amount is never shown as more than it is. */
export function shortAmount(text: string, most = 6): string {
  const [whole = '0', fraction = ''] = text.split('.');
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0;
  const kept = fraction.slice(0, /^-?0$/.test(whole) ? zeros + most : most).replace(/0+$/, '');
  return `${grouped(whole)}${kept === '' ? '' : `.${kept}`}`;
}

/** Decimal text to the smallest unit; undefined where it is no such amount. */
export function toSmallest(text: string, decimals: number): string | undefined {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text.trim());
  if (!match) return undefined;
  const fraction = match[2] ?? '';
  if (fraction.length > decimals) return undefined;
  return BigInt(`${match[1]}${fraction.padEnd(decimals, '0')}`).toString();
}

function grouped(whole: string): string {
  const digits = whole.replaceAll(',', '');
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** @param usd decimal text. */
export function usdText(usd: string): string {
  const value = Number(usd);
  if (!Number.isFinite(value)) return '';
  const digits = value !== 0 && Math.abs(value) < 1 ? 4 : 2;
  return value.toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  });
}

/** @param micro micro-USD as decimal text. */
export const microUsdText = (micro: string): string =>
  `$${amountText(micro, 6)
    .replace(/^(-?[\d,]+)$/, '$1.00')
    .replace(/(\.\d)$/, '$10')}`;

const STEPS: readonly (readonly [number, string])[] = [
  [60, 's'],
  [60, 'min'],
  [24, 'h'],
  [30, 'd'],
  [12, 'mo'],
  [Number.POSITIVE_INFINITY, 'y'],
];

/** `5 s ago`, `in 3 h`. Both in Unix milliseconds. */
export function relative(atMs: number, nowMs: number): string {
  let value = Math.abs(nowMs - atMs) / 1000;
  if (value < 2) return 'now';
  for (const [size, unit] of STEPS) {
    if (value < size) return atMs <= nowMs ? `${Math.floor(value)} ${unit} ago` : `in ${Math.floor(value)} ${unit}`;
    value /= size;
  }
  return '';
}

/** `1.2 s`, `3 min 4 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

export function shortHash(value: string): string {
  return value.length <= 18 ? value : `${value.slice(0, 8)}…${value.slice(-6)}`;
}

export const count = (n: number): string => n.toLocaleString('en-US');

/** `1 fill`, `2 fills`. */
export const countOf = (n: number, what: string): string => `${count(n)} ${what}${n === 1 ? '' : 's'}`;
