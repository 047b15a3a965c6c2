import type { UnixMs } from '../../contract/ids.js';
import { HINT_LIFE_MS, QUOTE_LIFE_MS } from '../retention.js';
import type { Cell } from '../rows.js';
import type { Connection } from './connection.js';
import type { Writer } from './writer.js';

/** Rows per transaction, so that no change set waits long for the cleaning. */
const BATCH = 500;

const HINTS = 'delete from hints where id in (select id from hints where created_at < ? limit ?)';

/** A quote that became a request stays with it. */
const UNPAID =
  'select q.id from quotes q where q.deadline_at < ? ' +
  'and not exists (select 1 from requests r where r.id = q.id) order by q.id limit ?';

const BURY =
  'insert into tombstones (order_id, request_id, refund_to, origin_chain_id, key_id, deadline_at, created_at) ' +
  'select order_id, id, coalesce(json_extract(body, \'$.refundRecipient\'), "user"), origin_chain_id, key_id, deadline_at, created_at ' +
  `from quotes where id in (${UNPAID}) on conflict (order_id) do nothing`;

/** @param cells bound by every statement. @returns rows that the last statement removed. */
type Drop = (connection: Connection, cells: readonly Cell[]) => Promise<number>;

const dropHints: Drop = (connection, cells) => connection.run(HINTS, cells);

/** One transaction: a quote is never gone without what is left of it for ever, nor outlived by what was said of it. */
const shrinkQuotes: Drop = async (connection, cells) => {
  await connection.run(BURY, cells);
  await connection.run(`delete from client_metadata where request_id in (${UNPAID})`, cells);
  return connection.run(`delete from quotes where id in (${UNPAID})`, cells);
};

export async function prune(writer: Writer, now: UnixMs): Promise<number> {
  return (await drop(writer, dropHints, now - HINT_LIFE_MS)) + (await drop(writer, shrinkQuotes, now - QUOTE_LIFE_MS));
}

async function drop(writer: Writer, batch: Drop, before: UnixMs): Promise<number> {
  for (let total = 0; ; ) {
    let gone = 0;
    await writer.alone(async (connection) => {
      gone = await batch(connection, [before, BATCH]);
    });
    total += gone;
    if (gone < BATCH) return total;
  }
}
