import type { RequestId, UnixMs } from '../../contract/ids.js';
import type { EarmarkRow } from '../../contract/store-rows.js';
import { type Reader, select, selectIn } from './reader.js';

export function earmarks(reader: Reader, ids: readonly RequestId[]): Promise<EarmarkRow[]> {
  return selectIn(reader, 'earmarks', 'id', ids);
}

/** The state is a literal, as in the partial index. */
export function overdueEarmarks(reader: Reader, before: UnixMs, limit: number): Promise<EarmarkRow[]> {
  return select(reader, 'earmarks', (query) =>
    query.whereRaw("state = 'kept'").where('expires_at', '<', before).orderBy(['expires_at', 'id']).limit(limit),
  );
}
