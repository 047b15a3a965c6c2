import type { AsOf } from '../../contract/store.js';

/** Reads confirmed state first, which may lag: enough to go on, as the commit judges again. Only the newest state refuses. */
export async function firstLook<T>(look: (asOf?: AsOf) => Promise<T>, refuses: (seen: T) => boolean): Promise<T> {
  const confirmed = await look('confirmed');
  return refuses(confirmed) ? look() : confirmed;
}
