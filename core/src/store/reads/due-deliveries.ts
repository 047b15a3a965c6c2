import type { DeliveryRow } from '../../contract/delivery-rows.js';
import type { UnixMs } from '../../contract/ids.js';
import type { DueDelivery, FeedRow } from '../../contract/store.js';
import { decodeRow, decodeRows, type RawRow } from '../rows.js';
import { eachOf, groupBy, type Reader, rowsOf } from './reader.js';

/** The state is a literal, as in the partial index. */
const ITS_FIRST = `from deliveries where endpoint_id = asked.value and state = 'due' and due_at <= ?
  order by due_at, position, id limit ?`;

/**
 * One statement for any number of endpoints, with a limit for each, so that one backlog cannot crowd out the others.
 */
const DUE: Readonly<Record<string, (each: string) => string>> = {
  sqlite3: (each) =>
    `select d.* from (${each}) as asked cross join deliveries d where d.id in (select id ${ITS_FIRST})`,
  pg: (each) => `select d.* from (${each}) as asked cross join lateral (select * ${ITS_FIRST}) as d`,
};

export async function dueDeliveries(
  reader: Reader,
  endpoints: readonly string[],
  now: UnixMs,
  each: number,
): Promise<DueDelivery[]> {
  if (endpoints.length === 0) return [];
  const sql = DUE[String(reader.client.config.client)]?.(eachOf(reader)) ?? '';
  const raws = rowsOf(await reader.raw(sql, [JSON.stringify([...new Set(endpoints)]), now, each]));
  const due = decodeRows('deliveries', raws).sort(
    (a, b) => a.dueAt - b.dueAt || a.position - b.position || (a.id < b.id ? -1 : 1),
  );
  const events = await eventsOf(reader, due);
  return due.map((delivery) => {
    const event = events.get(delivery.eventId);
    if (event === undefined) throw new Error(`delivery ${delivery.id} is of an event that is not there`);
    return { delivery, event };
  });
}

async function eventsOf(reader: Reader, due: readonly DeliveryRow[]): Promise<ReadonlyMap<string, FeedRow>> {
  const ids = [...groupBy(due, ({ eventId }) => eventId).keys()];
  if (ids.length === 0) return new Map();
  const raws = rowsOf(await reader.raw(`select * from events where id in (${eachOf(reader)})`, [JSON.stringify(ids)]));
  return new Map(
    raws.map((raw: RawRow) => {
      const event: FeedRow = { ...decodeRow('events', raw), position: Number(raw['position']) };
      return [event.id, event];
    }),
  );
}

export async function firstDue(
  reader: Reader,
  endpoints: readonly string[],
): Promise<Pick<DeliveryRow, 'endpointId' | 'dueAt'>[]> {
  if (endpoints.length === 0) return [];
  const raws = rowsOf(
    await reader.raw(
      `select asked.value as endpoint_id,
        (select min(due_at) from deliveries where endpoint_id = asked.value and state = 'due') as due_at
       from (${eachOf(reader)}) as asked`,
      [JSON.stringify([...new Set(endpoints)])],
    ),
  );
  return raws.flatMap(({ endpoint_id: id, due_at: at }) =>
    at === null ? [] : [{ endpointId: String(id), dueAt: Number(at) }],
  );
}
