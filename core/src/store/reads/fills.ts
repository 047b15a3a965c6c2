import type { UnixMs } from '../../contract/ids.js';
import type { FillTime } from '../../contract/store.js';
import { type Reader, rowsOf } from './reader.js';

/**
 * Finds the newest successes by their index before joining, so that the planner cannot start from all legs or
 * deposits.
 */
const RECENT = `
  select found.origin_chain_id, found.destination_chain_id, l.included_at, d.seen_at
  from (
    select id, origin_chain_id, destination_chain_id, created_at
    from request_listing where status = 'success' and created_at >= ?
    order by created_at desc, id desc limit ?
  ) found
  join requests r on r.id = found.id
  join legs l on l.request_id = found.id and l.kind = 'fill' and l.included_at is not null
  join deposits d on d.funding_key = r.funding_key
  order by found.created_at desc, found.id desc`;

export async function recentFills(reader: Reader, since: UnixMs, limit: number): Promise<FillTime[]> {
  const rows = rowsOf(await reader.raw(RECENT, [since, limit]));
  return rows.map((row) => ({
    originChainId: Number(row['origin_chain_id']),
    destinationChainId: Number(row['destination_chain_id']),
    ms: Math.max(0, Number(row['included_at']) - Number(row['seen_at'])),
  }));
}
