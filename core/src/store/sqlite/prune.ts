import type { UnixMs } from '../../contract/ids.js';
import type { Writer } from './writer.js';

const HINT_LIFE_MS = 60 * 60 * 1_000;
/** A payment may come in this long after its order's deadline and still find the quote. */
const QUOTE_LIFE_MS = 30 * 24 * 60 * 60 * 1_000;
/** Rows per transaction, so that no change set waits long for the cleaning. */
const BATCH = 500;

const HINTS = 'delete from hints where id in (select id from hints where created_at < ? limit ?)';

/** A quote that became a request stays with it. */
const QUOTES =
  'delete from quotes where id in (select q.id from quotes q where q.deadline_at < ? ' +
  'and not exists (select 1 from requests r where r.id = q.id) limit ?)';

export async function prune(writer: Writer, now: UnixMs): Promise<number> {
  return (await drop(writer, HINTS, now - HINT_LIFE_MS)) + (await drop(writer, QUOTES, now - QUOTE_LIFE_MS));
}

async function drop(writer: Writer, sql: string, before: UnixMs): Promise<number> {
  for (let total = 0; ; ) {
    let gone = 0;
    await writer.alone(async (connection) => {
      gone = await connection.run(sql, [before, BATCH]);
    });
    total += gone;
    if (gone < BATCH) return total;
  }
}
