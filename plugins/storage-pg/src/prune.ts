import type { QuoteRow, UnixMs } from '@causeway/core';
import { decodeRows, encodeRow, HINT_LIFE_MS, QUOTE_LIFE_MS, schemaOf, tombstoneOf } from '@causeway/core/sql';
import type { Connections } from './connections/connections.js';
import { type Names, quoted } from './sql/names.js';
import { storable } from './sql/text.js';

/** Rows per statement, so that no change set waits long for the cleaning. */
const BATCH = 500;

export async function prune(connections: Connections, names: Names, now: UnixMs): Promise<number> {
  let gone = 0;
  for (const drop of [dropHints, shrinkQuotes]) {
    for (let batch = BATCH; batch === BATCH; gone += batch) batch = await drop(connections, names, now);
  }
  return gone;
}

async function dropHints(connections: Connections, names: Names, now: UnixMs): Promise<number> {
  const hints = names.table('hints');
  const { rowCount } = await connections.run({
    text: `delete from ${hints} where id in (select id from ${hints} where created_at < $1 limit ${BATCH})`,
    values: [now - HINT_LIFE_MS],
  });
  return rowCount ?? 0;
}

/** One statement: a quote is never gone without what is left of it for ever. A quote that became a request stays with it. */
async function shrinkQuotes(connections: Connections, names: Names, now: UnixMs): Promise<number> {
  const [quotes, requests, tombstones] = [names.table('quotes'), names.table('requests'), names.table('tombstones')];
  const said = names.table('client_metadata');
  const unpaid = `not exists (select 1 from ${requests} r where r.id = q.id)`;
  const found = await connections.run({
    text: `select q.* from ${quotes} q where q.deadline_at < $1 and ${unpaid} order by q.id limit ${BATCH}`,
    values: [now - QUOTE_LIFE_MS],
  });
  if (found.rows.length === 0) return 0;
  const schema = schemaOf('tombstones');
  const columns = schema.columns.map(({ name }) => quoted(name));
  const types = schema.columns.map(({ name, type }) => `${quoted(name)} ${type === 'int' ? 'bigint' : 'text'}`);
  const rows = decodeRows('quotes', found.rows).map((quote: QuoteRow) => {
    const cells = encodeRow(schema, tombstoneOf(quote));
    return Object.fromEntries(schema.columns.map(({ name }, at) => [name, cells[at]]));
  });
  const { rows: counted } = await connections.run({
    text:
      `with ended as (select * from jsonb_to_recordset($1::jsonb) as e (${types.join(', ')})), ` +
      `gone as (delete from ${quotes} q using ended where q.id = ended.request_id and ${unpaid} returning q.id), ` +
      `buried as (insert into ${tombstones} (${columns.join(', ')}) ` +
      `select ${columns.map((name) => `ended.${name}`).join(', ')} from ended ` +
      'join gone on gone.id = ended.request_id on conflict do nothing)' +
      `, forgotten as (delete from ${said} m using gone where m.request_id = gone.id) ` +
      'select count(*) as n from gone',
    values: [JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? storable(value) : value))],
  });
  return Number(counted[0]?.['n'] ?? 0);
}
