import { LRUCache } from 'lru-cache';
import type { Store } from '../../contract/store.js';

/** Whose a request is that was quoted with a key. */
export interface Owner {
  readonly integratorId: string;
  /** The first of the keys that replaced one another by rotation, of which the key is one. It never changes. */
  readonly line: string;
}

/** By the id of their key. A key that nobody knows is left out. */
export type Owners = ReadonlyMap<string, Owner>;

const MOST = 10_000;

/** Finds owners by keys. What was found is remembered, because it stays true; a key that is new is looked up when it is first met. */
export function createOwnersOf(
  store: Pick<Store, 'apiKey' | 'apiKeysOf'>,
): (keyIds: Iterable<string | null>) => Promise<Owners> {
  const known = new LRUCache<string, Owner>({ max: MOST });
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
