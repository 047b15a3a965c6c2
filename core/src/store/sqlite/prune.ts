import type { Clock } from '../../contract/clock.js';
import type { UnixMs } from '../../contract/ids.js';
import {
  DELIVERY_LIFE_MS,
  EARMARK_LIFE_MS,
  endedCounters,
  HINT_LIFE_MS,
  IDEMPOTENCY_LIFE_MS,
  quoteBounds,
} from '../retention.js';
import type { Connection } from './connection.js';
import { inSlices, type Slice, type Slicing } from './slices.js';
import type { Writer } from './writer.js';

/** A change set waits for one slice at most; unfinished work continues in the next round. */
const SLICING: Slicing = { first: 100, most: 500, sliceMs: 25, wholeMs: 15_000 };

const HINTS = 'delete from hints where id in (select id from hints where created_at < ? order by created_at limit ?)';

const IDEMPOTENCY_KEYS =
  'delete from idempotency_keys where id in (select id from idempotency_keys where created_at < ? order by created_at limit ?)';

const EARMARKS =
  "delete from earmarks where id in (select id from earmarks where state <> 'kept' and expires_at < ? " +
  'order by expires_at, id limit ?)';

/** Completed deliveries by completion time; open ones are not in that index. */
const DELIVERIES =
  "delete from deliveries where id in (select id from deliveries where state in ('delivered', 'failed') and updated_at < ? " +
  'order by updated_at, id limit ?)';

const ENDPOINTS =
  "delete from endpoints where id in (select e.id from endpoints e where e.state = 'removed' and e.updated_at < ? " +
  'and not exists (select 1 from deliveries d where d.endpoint_id = e.id) order by e.updated_at, e.id limit ?)';

const COUNTERS =
  'delete from pots where account in (select account from pots where account >= ? and account < ? order by account limit ?)';

/** Conditions are literals, as in the partial indexes. */
const EXPIRED = {
  keyed: expired('is not null'),
  anonymous: expired('is null'),
} as const;

/** The index excludes unexpired quotes and quotes kept long ago. A deposit address may be paid for ever. */
function expired(key: string): string {
  return (
    'select q.id, exists (select 1 from requests r where r.id = q.id) ' +
    'or exists (select 1 from addresses a where a.salt = q.id) as became from quotes q ' +
    `where q.paid is null and q.key_id ${key} and q.deadline_at < ? order by q.deadline_at, q.id limit ?`
  );
}

const NAMED = '(select value from json_each(?))';
const KEEP = `update quotes set paid = 1 where id in ${NAMED}`;
const BURY =
  'insert into tombstones (order_id, request_id, refund_to, origin_chain_id, key_id, deadline_at, created_at) ' +
  'select order_id, id, coalesce(json_extract(body, \'$.refundRecipient\'), "user"), origin_chain_id, key_id, deadline_at, created_at ' +
  `from quotes where id in ${NAMED} on conflict (order_id) do nothing`;
const FORGET = `delete from client_metadata where request_id in ${NAMED}`;
const REMOVE = `delete from quotes where id in ${NAMED}`;

type Drop = (connection: Connection, before: UnixMs, size: number) => Promise<Slice>;

const remove =
  (sql: string): Drop =>
  async (connection, before, size) => {
    const gone = await connection.run(sql, [before, size]);
    return { seen: gone, gone };
  };

const removeCounters =
  (range: readonly [string, string]): Drop =>
  async (connection, _, size) => {
    const gone = await connection.run(COUNTERS, [...range, size]);
    return { seen: gone, gone };
  };

/**
 * A quote's removal, its tombstone and its hints' removal are atomic. With a single writer, an unpaid quote here
 * stays unpaid until the commit.
 */
const shrink =
  (sql: string): Drop =>
  async (connection, before, size) => {
    const found = await connection.all(sql, [before, size]);
    const paid = found.filter(({ became }) => became === 1).map(({ id }) => id);
    const unpaid = found.filter(({ became }) => became === 0).map(({ id }) => id);
    if (paid.length > 0) await connection.run(KEEP, [JSON.stringify(paid)]);
    if (unpaid.length > 0) {
      for (const statement of [BURY, FORGET, REMOVE]) await connection.run(statement, [JSON.stringify(unpaid)]);
    }
    return { seen: found.length, gone: unpaid.length };
  };

export async function prune(
  writer: Writer,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  now: UnixMs,
  anonymousLifeMs?: number,
  deliveryLifeMs = DELIVERY_LIFE_MS,
): Promise<number> {
  const bounds = quoteBounds(now, anonymousLifeMs);
  const drop = (batch: Drop, before: UnixMs) =>
    inSlices(clock, SLICING, async (size, begun) => {
      let slice: Slice = { seen: 0, gone: 0 };
      await writer.alone(async (connection) => {
        begun();
        slice = await batch(connection, before, size);
      });
      return slice;
    });
  return (
    (await drop(remove(HINTS), now - HINT_LIFE_MS)) +
    (await drop(remove(IDEMPOTENCY_KEYS), now - IDEMPOTENCY_LIFE_MS)) +
    (await drop(remove(EARMARKS), now - EARMARK_LIFE_MS)) +
    (await drop(remove(DELIVERIES), now - deliveryLifeMs)) +
    (await drop(remove(ENDPOINTS), now - deliveryLifeMs)) +
    (await drop(removeCounters(endedCounters(now)), now)) +
    (await drop(shrink(EXPIRED.anonymous), bounds.anonymous)) +
    (await drop(shrink(EXPIRED.keyed), bounds.keyed))
  );
}
