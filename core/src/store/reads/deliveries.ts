import type { DeliveryFilter, DeliveryRow, EndpointRow } from '../../contract/delivery-rows.js';
import type { RequestId, UnixMs } from '../../contract/ids.js';
import type { DueDelivery, FeedRow } from '../../contract/store.js';
import { decodeRow, type RawRow } from '../rows.js';
import { type Reader, select, selectIn } from './reader.js';

/** States are literals, as in the partial indexes; bound values would not match them. */
const DUE = `state = 'due'`;
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

export async function openDeliveries(reader: Reader, requests: readonly RequestId[]): Promise<DeliveryRow[]> {
  const rows = await selectIn(reader, 'deliveries', 'request_id', requests, (query) => query.whereRaw(OPEN));
  return rows.sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
}

export async function dueDeliveries(
  reader: Reader,
  endpointId: string,
  now: UnixMs,
  limit: number,
): Promise<DueDelivery[]> {
  const due = await select(reader, 'deliveries', (query) =>
    query
      .where('endpoint_id', endpointId)
      .whereRaw(DUE)
      .where('due_at', '<=', now)
      .orderBy(['due_at', 'position', 'id'])
      .limit(limit),
  );
  const events = new Map<string, FeedRow>();
  for (const raw of await eventsOf(
    reader,
    due.map(({ eventId }) => eventId),
  ))
    events.set(raw.id, raw);
  return due.flatMap((delivery) => {
    const event = events.get(delivery.eventId);
    return event === undefined ? [] : [{ delivery, event }];
  });
}

async function eventsOf(reader: Reader, ids: readonly string[]): Promise<FeedRow[]> {
  if (ids.length === 0) return [];
  const raws = (await reader('events').whereIn('id', [...new Set(ids)])) as RawRow[];
  return raws.map((raw) => ({ ...decodeRow('events', raw), position: Number(raw['position']) }));
}

/** One row for each endpoint: the first of its index. */
export async function firstDue(
  reader: Reader,
  endpointIds: readonly string[],
): Promise<Pick<DeliveryRow, 'endpointId' | 'dueAt'>[]> {
  const first = async (endpointId: string) => {
    const [row] = (await reader('deliveries')
      .where('endpoint_id', endpointId)
      .whereRaw(DUE)
      .min({ due_at: 'due_at' })) as RawRow[];
    const at = row?.['due_at'] ?? null;
    return at === null ? [] : [{ endpointId, dueAt: Number(at) }];
  };
  const found: Pick<DeliveryRow, 'endpointId' | 'dueAt'>[] = [];
  for (const id of new Set(endpointIds)) found.push(...(await first(id)));
  return found;
}
