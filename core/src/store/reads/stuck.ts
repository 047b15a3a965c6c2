import type { RequestId, UnixMs } from '../../contract/ids.js';
import type { LaneKey } from '../../contract/store.js';
import { type Reader, rowsOf } from './reader.js';

/** Literals, as in the partial indexes. */
const OPEN = `l.state in ('short', 'owed', 'bound', 'blocked')`;
const SETTLED = `('success', 'refund', 'failure')`;

const movesOn = (lanes: number) => `(
  l.chain_id || ':' || l.signer in (${lanes === 0 ? 'null' : Array(lanes).fill('?').join(', ')})
  and (l.state <> 'blocked' or exists (
    select 1 from deposits d where d.funding_key = l.funding_key and d.state <> 'final')))`;

/** Unsettled requests and open keys are few, however many requests were settled or held. */
const UNSETTLED = (lanes: number) => `
  select r.id, r.created_at from requests r
  where r.status not in ${SETTLED} and (r.status <> 'waiting' or r.funding_key is not null) and r.updated_at < ?
    and not exists (select 1 from deposits w
      where w.request_id = r.id and w.decision = 'waiting' and w.state <> 'vanished')
    and not exists (select 1 from legs l where l.request_id = r.id and ${OPEN} and ${movesOn(lanes)})
  order by r.created_at, r.id limit ?`;

const SETTLED_WITH_OPEN = (lanes: number) => `
  select distinct r.id, r.created_at from legs l join requests r on r.id = l.request_id
  where ${OPEN} and not coalesce(${movesOn(lanes)}, false) and r.status in ${SETTLED} and r.updated_at < ?
  order by r.created_at, r.id limit ?`;

export async function stuck(
  reader: Reader,
  before: UnixMs,
  lanes: readonly LaneKey[],
  limit: number,
): Promise<RequestId[]> {
  const served = lanes.map(({ chainId, signer }) => `${chainId}:${signer}`);
  const n = served.length;
  const rows = [
    ...rowsOf(await reader.raw(UNSETTLED(n), [before, ...served, limit])),
    ...rowsOf(await reader.raw(SETTLED_WITH_OPEN(n), [...served, before, limit])),
  ];
  const found = rows.map((row) => ({ id: row['id'] as RequestId, createdAt: Number(row['created_at']) }));
  found.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  return found.slice(0, limit).map(({ id }) => id);
}
