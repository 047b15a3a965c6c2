import { createHash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../contract/clock.js';
import type { Store } from '../contract/store.js';
import type { ApiKeyRow } from '../contract/store-rows.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import { hashKey, isMistyped } from './key-format.js';

const CACHE_MS = 10_000;
const MAX_CACHED_KEYS = 4_096;
const MAX_KEY_LENGTH = 512;

/** `*` means all scopes, including those of later versions. */
export const SCOPES = ['quote', 'requests', 'execute', 'webhooks', 'balance'] as const;
export type Scope = (typeof SCOPES)[number];

/** Null for a mistyped, unknown, expired or revoked key. */
export type KeyLookup = (key: string) => Promise<ApiKeyRow | null>;

interface Known {
  readonly row: ApiKeyRow | null;
  readonly at: number;
}

/** The cache by SHA-256 is bounded: wrong keys use no more memory than right ones. */
export function createKeyLookup(store: Pick<Store, 'apiKeyByHash'>, clock: Clock): KeyLookup {
  const known = new LRUCache<string, Known>({ max: MAX_CACHED_KEYS });
  return async (key) => {
    if (key.length > MAX_KEY_LENGTH || isMistyped(key)) return null;
    const hash = hashKey(key);
    let entry = known.get(hash);
    const now = clock.monotonic();
    if (!entry || now - entry.at >= CACHE_MS) {
      entry = { row: (await store.apiKeyByHash(hash)) ?? null, at: now };
      known.set(hash, entry);
    }
    return entry.row && keyState(entry.row, clock.now()) === 'active' ? entry.row : null;
  };
}

export function keyState(row: ApiKeyRow, now: number): 'active' | 'expired' | 'revoked' {
  if (row.revokedAt !== null) return 'revoked';
  return row.expiresAt !== null && now >= row.expiresAt ? 'expired' : 'active';
}

export function scopesOf(row: ApiKeyRow): readonly string[] {
  return JSON.parse(row.scopes) as string[];
}

export function mayDo(row: ApiKeyRow, scope: Scope): boolean {
  const scopes = scopesOf(row);
  return scopes.includes('*') || scopes.includes(scope);
}

export function refuseScope(row: ApiKeyRow, scope: Scope): ApiError | undefined {
  if (mayDo(row, scope)) return undefined;
  return apiError('FORBIDDEN', `The API key may not do this: it lacks the scope ${scope}`);
}

/** UUIDs of the private chains granted to the key: none without a key. */
export function grantedChains(row: ApiKeyRow | null): readonly string[] {
  return row === null ? [] : (JSON.parse(row.privateChains) as string[]);
}

export function isNarrowed(before: ApiKeyRow, now: ApiKeyRow): boolean {
  if (before.version === now.version) return false;
  const scopes = SCOPES.some((scope) => mayDo(before, scope) && !mayDo(now, scope));
  const granted = new Set(grantedChains(now).map((uuid) => uuid.toLowerCase()));
  return scopes || grantedChains(before).some((uuid) => !granted.has(uuid.toLowerCase()));
}

/** Constant-time comparison. */
export function sameSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
