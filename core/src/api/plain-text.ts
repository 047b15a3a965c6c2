import type { FuncKeywordDefinition } from 'ajv';
import type { Schema } from './schema.js';

const NAME = 'plainText';

/** NUL characters and lone surrogates. */
const NOT_PLAIN = /[\0\p{Surrogate}]/u;

export const NOT_PLAIN_REASON = 'must not have zero characters or halves of surrogate pairs';

/**
 * Text that every database stores unchanged and UTF-8 can represent. Each database would alter other text in its own
 * way.
 */
export function isPlain(text: string): boolean {
  return !NOT_PLAIN.test(text);
}

/** Keyword of ajv behind `withPlainText`. */
export const PLAIN_TEXT: FuncKeywordDefinition = {
  keyword: NAME,
  schemaType: 'boolean',
  validate: (_: boolean, value: unknown) => allPlain(value),
};

/** Includes keys of free objects. */
export function withPlainText(schema: Schema): Schema {
  const inside = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, within(keyword, value)]),
  );
  return takesAnyText(schema) ? { ...inside, [NAME]: true } : inside;
}

export function isPlainTextError({ keyword }: { readonly keyword: string }): boolean {
  return keyword === NAME;
}

function within(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case 'properties':
      return Object.fromEntries(
        Object.entries(value as Readonly<Record<string, Schema>>).map(([name, one]) => [name, withPlainText(one)]),
      );
    case 'anyOf':
    case 'allOf':
      return (value as readonly Schema[]).map(withPlainText);
    case 'items':
      return withPlainText(value as Schema);
    default:
      return value;
  }
}

function takesAnyText({ type, enum: values, anyOf, allOf, properties }: Schema): boolean {
  if (values !== undefined || anyOf !== undefined || allOf !== undefined) return false;
  if (type === undefined) return true;
  if (type === 'object') return properties === undefined;
  return type === 'string' || (Array.isArray(type) && type.includes('string'));
}

/** Recursion is bounded by the depth that the JSON parser allows. */
function allPlain(value: unknown): boolean {
  const left = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === 'string' && !isPlain(one)) return false;
    if (Array.isArray(one)) for (const item of one) left.push(item);
    else if (typeof one === 'object' && one !== null) {
      for (const [key, item] of Object.entries(one)) left.push(key, item);
    }
  }
  return true;
}
