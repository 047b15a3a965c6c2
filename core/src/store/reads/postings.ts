import type { UnixMs } from '../../contract/ids.js';
import type { PostingMark } from '../../contract/store.js';
import type { PostingRow } from '../../contract/store-rows.js';
import { type Reader, select } from './reader.js';

export function postings(
  reader: Reader,
  from: UnixMs,
  to: UnixMs,
  limit: number,
  after?: PostingMark,
): Promise<PostingRow[]> {
  return select(reader, 'postings', (query) => {
    const rows = query.where('created_at', '<', to).orderBy(['created_at', 'group_id', 'account']).limit(limit);
    return after === undefined
      ? rows.where('created_at', '>=', from)
      : rows.whereRaw('(created_at, group_id, account) > (?, ?, ?)', [after.createdAt, after.groupId, after.account]);
  });
}
