import { createHash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../contract/clock.js';
import type { Store } from '../contract/store.js';
import type { ApiKeyRow } from '../contract/store-rows.js';

/** A key that was looked up, or revoked, is known as such for this long. */
const FRESH_MS = 10_000;
const MOST = 4_096;
const LONGEST = 512;

/** The row of an API key; null when the key is unknown or revoked. */
export type KeyLookup = (key: string) => Promise<ApiKeyRow | null>;

interface Known {
  readonly row: ApiKeyRow | null;
  readonly at: number;
}

/** Looks keys up by their SHA-256, with a bounded memory: wrong keys take no more of it than right ones. */
export function createKeyLookup(store: Pick<Store, 'apiKeyByHash'>, clock: Clock): KeyLookup {
  const known = new LRUCache<string, Known>({ max: MOST });
  return async (key) => {
    if (key.length > LONGEST) return null;
    const hash = createHash('sha256').update(key).digest('hex');
    const entry = known.get(hash);
    const now = clock.monotonic();
    if (entry && now - entry.at < FRESH_MS) return entry.row;
    const found = await store.apiKeyByHash(hash);
    const row = found && found.revokedAt === null ? found : null;
    known.set(hash, { row, at: now });
    return row;
  };
}

/** Compares in a time that tells nothing about the secret. */
export function sameSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
