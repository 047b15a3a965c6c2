import { type ApiError, invalidRequest } from '../../errors/api-error.js';
import type { Schema } from '../route.js';
import type { Validator } from '../validator.js';

/** Known query parameters as an object without a prototype; unknown ones are dropped (clients.md, rule 6). */
export function readQuery(
  search: string,
  known: ReadonlySet<string>,
  validate: Validator,
): { readonly value: unknown } | ApiError {
  const value: Record<string, string> = Object.create(null);
  if (search !== '') {
    for (const [name, text] of new URLSearchParams(search)) {
      if (!known.has(name)) continue;
      if (name in value) return invalidRequest(name, 'must be given once');
      value[name] = text;
    }
  }
  return validate(value) ?? { value };
}

export function parameterNames(schema: Schema): ReadonlySet<string> {
  return new Set(Object.keys((schema['properties'] ?? {}) as object));
}
