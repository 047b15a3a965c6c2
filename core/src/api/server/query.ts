import { parse } from 'node:querystring';
import { type ApiError, invalidRequest } from '../../errors/api-error.js';
import type { Schema } from '../route.js';
import type { Validator } from '../validator.js';

/** No limit on the number, which would silently drop the last ones; the header size bounds them. */
const UNLIMITED_KEYS = { maxKeys: 0 };

/** Known query parameters as an object without a prototype; unknown ones are dropped. */
export function readQuery(
  search: string,
  known: ReadonlySet<string>,
  validate: Validator,
): { readonly value: unknown } | ApiError {
  const value: Record<string, string> = Object.create(null);
  if (search !== '') {
    const given = parse(search, '&', '=', UNLIMITED_KEYS);
    for (const name in given) {
      const text = given[name];
      if (text === undefined || !known.has(name)) continue;
      if (typeof text !== 'string') return invalidRequest(name, 'must be given once');
      value[name] = text;
    }
  }
  return validate(value) ?? { value };
}

export function parameterNames(schema: Schema): ReadonlySet<string> {
  return new Set(Object.keys((schema['properties'] ?? {}) as object));
}
