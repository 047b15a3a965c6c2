import type { DeliveryFilter, DeliveryRow, EndpointRow } from '../../contract/delivery-rows.js';
import type { RequestId } from '../../contract/ids.js';
import type { RawRow } from '../rows.js';
import { eachOf, type Reader, select, selectIn } from './reader.js';

/** Literals, as in the partial indexes. */
const OPEN = `state in ('due', 'behind', 'again')`;
const AGAIN = `state = 'again'`;

const STATES = { open: OPEN, failed: `state = 'failed'`, delivered: `state = 'delivered'` } as const;

export async function feedEnd(reader: Reader): Promise<number> {
  const [row] = (await reader('events').max({ position: 'position' })) as RawRow[];
  return Number(row?.['position'] ?? 0);
}

export function endpoints(reader: Reader): Promise<EndpointRow[]> {
  return select(reader, 'endpoints', (query) => query.orderBy(['created_at', 'id']));
}

export async function endpoint(reader: Reader, id: string): Promise<EndpointRow | undefined> {
  return (await select(reader, 'endpoints', (query) => query.where({ id })))[0];
}

export function deliveriesOf(
  reader: Reader,
  endpointId: string,
  { state, before, limit }: DeliveryFilter,
): Promise<DeliveryRow[]> {
  return select(reader, 'deliveries', (query) => {
    query.where('endpoint_id', endpointId).orderBy('position', 'desc').limit(limit);
    if (state !== undefined) query.whereRaw(STATES[state]);
    if (before !== undefined) query.where('position', '<', before);
    return query;
  });
}

export function deliveriesAgain(reader: Reader, endpointIds: readonly string[], limit: number): Promise<DeliveryRow[]> {
  return selectIn(reader, 'deliveries', 'endpoint_id', endpointIds, (query) => query.whereRaw(AGAIN).limit(limit));
}

export function deliveries(reader: Reader, ids: readonly string[]): Promise<DeliveryRow[]> {
  return selectIn(reader, 'deliveries', 'id', ids);
}

/** Driven by the requests: endpoint indexes must not be used, as an endpoint may have any number of deliveries. */
export async function openDeliveries(
  reader: Reader,
  requests: readonly RequestId[],
  of?: readonly string[],
): Promise<DeliveryRow[]> {
  const rows = await selectIn(reader, 'deliveries', 'request_id', requests, (query) => {
    query.whereRaw(OPEN);
    return of === undefined ? query : query.whereRaw(`endpoint_id || '' in (${eachOf(reader)})`, [JSON.stringify(of)]);
  });
  return rows.sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
}
