import { createHash } from 'node:crypto';

/** Sha-256, hex, of texts. Their lengths are part of it, so that no two lists run into one. */
export function digest(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${Buffer.byteLength(text)}:`).update(text);
  return hash.digest('hex');
}

/**
 * The same for bodies that differ in the order of their fields only.
 *
 * @returns sha-256, hex; undefined for a body that is nested deeper than the stack.
 */
export function fingerprint(body: unknown): string | undefined {
  try {
    return digest(JSON.stringify(body, sorted) ?? '');
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
