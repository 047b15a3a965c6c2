import { createHash } from 'node:crypto';
import type { Keyset, RequestSearch } from '../../contract/search.js';
import { type ApiError, invalidRequest } from '../../errors/api-error.js';
import { isPlain } from '../plain-text.js';

/** Where a page ended and, for walks by `updatedAt`, when the walk began. */
export interface Cursor {
  readonly after: Keyset;
  readonly asOf?: number;
}

export function searchHash({
  filter,
  sortBy,
  direction,
}: Pick<RequestSearch, 'filter' | 'sortBy' | 'direction'>): string {
  return createHash('sha256')
    .update(JSON.stringify([sortBy, direction, sorted(filter)]))
    .digest('base64url')
    .slice(0, 16);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, part]) => [name, sorted(part)]);
}

export function writeCursor({ after, asOf }: Cursor, hash: string): string {
  const parts = [after.value, after.id, hash, ...(asOf === undefined ? [] : [asOf])];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @param field where the client gave it */
export function readCursor(text: string, hash: string, field = 'continuation'): Cursor | ApiError {
  const foreign = invalidRequest(field, 'is not a cursor of this service');
  const parts = parse(text);
  if (!Array.isArray(parts) || parts.length < 3 || parts.length > 4) return foreign;
  const [value, id, of, asOf] = parts as readonly unknown[];
  if (value !== null && !Number.isSafeInteger(value)) return foreign;
  if (typeof id !== 'string' || id.length > 256 || !isPlain(id) || typeof of !== 'string') return foreign;
  if (asOf !== undefined && !Number.isSafeInteger(asOf)) return foreign;
  if (of !== hash) return invalidRequest(field, 'belongs to another search: filters and sorting must stay the same');
  return { after: { value: value as number | null, id }, ...(asOf === undefined ? {} : { asOf: asOf as number }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
