import type { Backlog } from '../../contract/store.js';
import { type Reader, rowsOf } from './reader.js';

/** One index scan. States are literals, as in the partial index. */
const OPEN = `
  select found.channel as channel, found.n as open,
    (select created_at from events where position = found.first) as since
  from (
    select endpoints.channel as channel, count(*) as n, min(d.position) as first
    from endpoints join deliveries d on d.endpoint_id = endpoints.id
    where d.state in ('due', 'behind', 'again') and endpoints.state = 'active' group by endpoints.channel
  ) as found`;

export async function backlog(reader: Reader): Promise<Backlog[]> {
  return rowsOf(await reader.raw(OPEN)).map(({ channel, open, since }) => ({
    channel: String(channel),
    open: Number(open),
    since: Number(since),
  }));
}
