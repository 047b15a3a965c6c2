import { LRUCache } from 'lru-cache';
import type { Store } from '../contract/store.js';

export interface Owner {
  readonly integratorId: string;
  /** The first key of a chain of rotations. It never changes. */
  readonly line: string;
}

export type Owners = ReadonlyMap<string, Owner>;

const MAX_CACHED_OWNERS = 10_000;

/** Looks owners up by key. Results are cached permanently because they never change. */
export function createOwnersOf(
  store: Pick<Store, 'apiKey' | 'apiKeysOf'>,
): (keyIds: Iterable<string | null>) => Promise<Owners> {
  const known = new LRUCache<string, Owner>({ max: MAX_CACHED_OWNERS });
  return async (keyIds) => {
    const found = new Map<string, Owner>();
    for (const keyId of new Set(keyIds)) {
      if (keyId === null) continue;
      const owner = known.get(keyId) ?? (await ownerOf(store, keyId));
      if (owner === undefined) continue;
      known.set(keyId, owner);
      found.set(keyId, owner);
    }
    return found;
  };
}

async function ownerOf(store: Pick<Store, 'apiKey' | 'apiKeysOf'>, keyId: string): Promise<Owner | undefined> {
  const key = await store.apiKey(keyId);
  if (key === undefined) return undefined;
  const { integratorId } = key;
  const before = new Map<string, string>();
  for (const { id, replacedBy } of await store.apiKeysOf(integratorId))
    if (replacedBy !== null) before.set(replacedBy, id);
  let line = keyId;
  for (let older = before.get(line); older !== undefined; older = before.get(line)) line = older;
  return { integratorId, line };
}
