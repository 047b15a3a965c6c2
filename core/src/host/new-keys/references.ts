import { formatPath } from '../config/yaml-source.js';
import { KEY_REFERENCE } from '../keys.js';

/** Paths and key references in options. */
export function referencesIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): readonly (readonly [path: string, reference: string])[] {
  if (typeof value === 'string') return KEY_REFERENCE.test(value) ? [[formatPath(path), value]] : [];
  if (typeof value !== 'object' || value === null) return [];
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((each, n) => [n, each] as const)
    : Object.entries(value);
  return entries.flatMap(([key, each]) => referencesIn(each, [...path, key]));
}
