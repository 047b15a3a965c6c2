import { DURATION_PATTERN, USD_PATTERN } from './units.js';

export type Schema = Readonly<Record<string, unknown>>;

export const usd = (description: string, more: Schema): Schema => ({
  type: 'string',
  pattern: USD_PATTERN,
  description,
  ...more,
});
export const duration = (description: string, value: string): Schema => ({
  type: 'string',
  pattern: DURATION_PATTERN,
  description,
  default: value,
});
export const count = (description: string, value: number, minimum: number, maximum?: number): Schema => ({
  type: 'integer',
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
  description,
  default: value,
});
export const keyReference = (description: string, examples: readonly string[]): Schema => ({
  type: 'string',
  pattern: '^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$',
  description: `${description} A reference, never the key itself: env:NAME or file:PATH (relative to this file, mode 0600)`,
  examples,
});
export const section = (
  description: string,
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema => ({
  type: 'object',
  additionalProperties: false,
  description,
  ...(required.length > 0 ? { required } : { default: {} }),
  properties,
});
export const day = (description: string, value?: string): Schema => ({
  type: 'string',
  pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  description,
  ...(value === undefined ? { examples: ['2026-08-22'] } : { default: value }),
});
export const bps = (description: string, value?: number): Schema => ({
  type: 'integer',
  minimum: 0,
  maximum: 10_000,
  description,
  ...(value === undefined ? { examples: [5] } : { default: value }),
});
