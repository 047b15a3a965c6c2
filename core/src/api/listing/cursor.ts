import { createHash } from 'node:crypto';
import type { Keyset, RequestFilter } from '../../contract/search.js';
import { type ApiError, invalidRequest } from '../../errors/api-error.js';

/** Names the search a cursor belongs to: its filter and order, whatever the page size. */
export function searchHash(filter: RequestFilter, direction: 'asc' | 'desc'): string {
  const fields = Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([direction, fields]))
    .digest('base64url')
    .slice(0, 16);
}

/** Opaque to clients: the last row's position and the search it belongs to. */
export function writeCursor(position: Keyset, hash: string): string {
  return Buffer.from(JSON.stringify([position.value, position.id, hash])).toString('base64url');
}

export function readCursor(text: string, hash: string): Keyset | ApiError {
  const parts = parse(text);
  if (!Array.isArray(parts) || parts.length !== 3)
    return invalidRequest('continuation', 'is not a cursor of this service');
  const [value, id, of] = parts as readonly unknown[];
  if (!Number.isSafeInteger(value) || typeof id !== 'string' || id.length > 256) {
    return invalidRequest('continuation', 'is not a cursor of this service');
  }
  if (of !== hash)
    return invalidRequest('continuation', 'belongs to another search: filters and sorting must stay the same');
  return { value: value as number, id };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
