import { createHash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../contract/clock.js';
import type { Store } from '../contract/store.js';
import type { ApiKeyRow } from '../contract/store-rows.js';
import { hashKey, isMistyped } from './key-format.js';

/** A key that was looked up, or revoked, is known as such for this long. */
const FRESH_MS = 10_000;
const MOST = 4_096;
const LONGEST = 512;

/** What a key may be used for; `*` for everything, also what later versions add. */
export const SCOPES = ['quote', 'requests', 'execute', 'webhooks'] as const;
export type Scope = (typeof SCOPES)[number];

/** The row of an API key; null when the key is mistyped, unknown, expired or revoked. */
export type KeyLookup = (key: string) => Promise<ApiKeyRow | null>;

interface Known {
  readonly row: ApiKeyRow | null;
  readonly at: number;
}

/** Looks keys up by their SHA-256, with a bounded memory: wrong keys take no more of it than right ones. */
export function createKeyLookup(store: Pick<Store, 'apiKeyByHash'>, clock: Clock): KeyLookup {
  const known = new LRUCache<string, Known>({ max: MOST });
  return async (key) => {
    if (key.length > LONGEST || isMistyped(key)) return null;
    const hash = hashKey(key);
    let entry = known.get(hash);
    const now = clock.monotonic();
    if (!entry || now - entry.at >= FRESH_MS) {
      entry = { row: (await store.apiKeyByHash(hash)) ?? null, at: now };
      known.set(hash, entry);
    }
    return entry.row && keyState(entry.row, clock.now()) === 'active' ? entry.row : null;
  };
}

/** @param now Unix milliseconds. */
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

/** UUIDs of the private chains whose requests the caller may see: none without a key. */
export function grantedChains(row: ApiKeyRow | null): readonly string[] {
  return row === null ? [] : (JSON.parse(row.privateChains) as string[]);
}

/** Whether a key may no longer do, or see, something that it could before. */
export function isNarrowed(before: ApiKeyRow, now: ApiKeyRow): boolean {
  if (before.version === now.version) return false;
  const scopes = SCOPES.some((scope) => mayDo(before, scope) && !mayDo(now, scope));
  const granted = new Set(grantedChains(now).map((uuid) => uuid.toLowerCase()));
  return scopes || grantedChains(before).some((uuid) => !granted.has(uuid.toLowerCase()));
}

/** Compares in a time that tells nothing about the secret. */
export function sameSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
