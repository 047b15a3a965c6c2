import type { AsOf } from '../../contract/store.js';

/** What is confirmed is enough to go on, as it is judged again when it is written; only the newest answer refuses. */
export async function firstLook<T>(look: (asOf?: AsOf) => Promise<T>, refuses: (seen: T) => boolean): Promise<T> {
  const confirmed = await look('confirmed');
  return refuses(confirmed) ? look() : confirmed;
}
