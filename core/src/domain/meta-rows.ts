import type { Change, Store } from '../contract/store.js';
import type { MetaRow } from '../contract/store-rows.js';

const MAX_COMMIT_TRIES = 5;

/** Refused where the row is no longer the one that was read. @param before as read; undefined: there was none. */
export function metaChange(before: Pick<MetaRow, 'version'> | undefined, key: string, value: string): Change {
  return before === undefined
    ? { op: 'insert', table: 'meta', row: { key, version: 1, value } }
    : { op: 'update', table: 'meta', key: { key }, version: before.version, set: { value } };
}

/**
 * Replaces the value of a row that several processes change.
 *
 * @param name of the change set.
 * @param decide from the value as read, the new one; undefined: nothing is written. Called again after a conflict.
 * @returns false: conflicts at every try, nothing was written. Rejects on infrastructure failure.
 */
export async function replaceMeta(
  store: Pick<Store, 'meta' | 'apply'>,
  name: string,
  key: string,
  decide: (value: string | undefined) => string | undefined,
): Promise<boolean> {
  for (let tries = 0; tries < MAX_COMMIT_TRIES; tries += 1) {
    const before = await store.meta(key);
    const value = decide(before?.value);
    if (value === undefined || value === before?.value) return true;
    if ((await store.apply({ name, changes: [metaChange(before, key, value)] })).ok) return true;
  }
  return false;
}
