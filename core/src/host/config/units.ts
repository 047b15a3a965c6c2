const MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const DURATION_PATTERN = '^\\d+(ms|s|m|h|d)$';
export const USD_PATTERN = '^\\d+(\\.\\d{1,6})?$';

/** `90s` -> 90000. The text has passed DURATION_PATTERN. */
export function durationMs(text: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  return Number(count) * MS[unit as keyof typeof MS];
}

/** `1.25` -> 1250000 micro-USD. The text has passed USD_PATTERN. */
export function microUsd(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}
