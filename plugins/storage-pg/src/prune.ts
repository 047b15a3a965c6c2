import type { Clock, QuoteRow, UnixMs } from '@causeway/core';
import {
  DELIVERY_LIFE_MS,
  decodeRows,
  EARMARK_LIFE_MS,
  encodeRow,
  endedCounters,
  HINT_LIFE_MS,
  IDEMPOTENCY_LIFE_MS,
  quoteBounds,
  schemaOf,
  tombstoneOf,
} from '@causeway/core/sql';
import type { Connections } from './connections/connections.js';
import { type Names, quoted } from './sql/names.js';
import { storable } from './sql/text.js';

/** Rows per statement, so that no change set waits long for the pruning. */
const ROWS_PER_STATEMENT = 500;
/** Keeps shutdown short. The next round continues where this one stopped. */
const ROUND_MS = 15_000;

interface Batch {
  readonly seen: number;
  readonly gone: number;
}

type Drop = (connections: Connections, names: Names) => Promise<Batch>;

export async function prune(
  connections: Connections,
  names: Names,
  clock: Pick<Clock, 'monotonic'>,
  now: UnixMs,
  anonymousLifeMs?: number,
  deliveryLifeMs = DELIVERY_LIFE_MS,
): Promise<number> {
  const bounds = quoteBounds(now, anonymousLifeMs);
  const until = clock.monotonic() + ROUND_MS;
  let total = 0;
  const drops = [
    remove('hints', 'created_at', 'true', now - HINT_LIFE_MS),
    remove('idempotency_keys', 'created_at', 'true', now - IDEMPOTENCY_LIFE_MS),
    remove('earmarks', 'expires_at, id', "state <> 'kept'", now - EARMARK_LIFE_MS),
    remove('deliveries', 'updated_at, id', "state in ('delivered', 'failed')", now - deliveryLifeMs),
    remove('endpoints', 'updated_at, id', removed, now - deliveryLifeMs),
    removeCounters(endedCounters(now)),
    shrink('is null', bounds.anonymous),
    shrink('is not null', bounds.keyed),
  ];
  for (const drop of drops) {
    for (let seen = ROWS_PER_STATEMENT; seen === ROWS_PER_STATEMENT && clock.monotonic() < until; ) {
      const batch = await drop(connections, names);
      total += batch.gone;
      seen = batch.seen;
    }
  }
  return total;
}

const removed = (names: Names): string =>
  `state = 'removed' and not exists (select 1 from ${names.table('deliveries')} d where d.endpoint_id = ${names.table('endpoints')}.id)`;

/**
 * Rows that became live while the statement waited for them stay.
 *
 * @param along columns of the index, the time first. Conditions are literals, as in the partial indexes.
 */
const remove =
  (
    table: 'hints' | 'idempotency_keys' | 'earmarks' | 'deliveries' | 'endpoints',
    along: string,
    when: string | ((names: Names) => string),
    before: UnixMs,
  ): Drop =>
  async (connections, names) => {
    const rows = names.table(table);
    const condition = typeof when === 'string' ? when : when(names);
    const { rowCount } = await connections.run({
      text:
        `delete from ${rows} where ${condition} and id in (select id from ${rows} ` +
        `where ${condition} and ${along.split(',')[0]} < $1 order by ${along} limit ${ROWS_PER_STATEMENT})`,
      values: [before],
    });
    const gone = rowCount ?? 0;
    return { seen: gone, gone };
  };

const removeCounters =
  (range: readonly [string, string]): Drop =>
  async (connections, names) => {
    const pots = names.table('pots');
    const { rowCount } = await connections.run({
      text:
        `delete from ${pots} where account in (select account from ${pots} ` +
        `where account >= $1 and account < $2 order by account limit ${ROWS_PER_STATEMENT})`,
      values: [...range],
    });
    const gone = rowCount ?? 0;
    return { seen: gone, gone };
  };

/**
 * This index excludes unexpired quotes and quotes kept long ago. A quote that became a request stays with it, one that made a
 * deposit address for ever, as the address may be paid; each is marked, which removes it from the index.
 */
const shrink =
  (key: 'is null' | 'is not null', before: UnixMs): Drop =>
  async (connections, names) => {
    const [quotes, requests, addresses] = [names.table('quotes'), names.table('requests'), names.table('addresses')];
    const found = await connections.run({
      text:
        `select q.*, exists (select 1 from ${requests} r where r.id = q.id) ` +
        `or exists (select 1 from ${addresses} a where a.salt = q.id) as became from ${quotes} q ` +
        `where q.paid is null and q.key_id ${key} and q.deadline_at < $1 order by q.deadline_at, q.id limit ${ROWS_PER_STATEMENT}`,
      values: [before],
    });
    const paid = found.rows.filter((row) => row['became'] === true).map((row) => row['id']);
    if (paid.length > 0) {
      await connections.run({ text: `update ${quotes} set paid = true where id = any($1)`, values: [paid] });
    }
    const unpaid = found.rows.filter((row) => row['became'] !== true);
    const gone = unpaid.length === 0 ? 0 : await bury(connections, names, decodeRows('quotes', unpaid));
    return { seen: found.rows.length, gone };
  };

/** One statement: no quote is removed without its tombstone, and a quote paid meanwhile stays. */
async function bury(connections: Connections, names: Names, ended: readonly QuoteRow[]): Promise<number> {
  const [quotes, requests, tombstones] = [names.table('quotes'), names.table('requests'), names.table('tombstones')];
  const said = names.table('client_metadata');
  const schema = schemaOf('tombstones');
  const columns = schema.columns.map(({ name }) => quoted(name));
  const types = schema.columns.map(({ name, type }) => `${quoted(name)} ${type === 'int' ? 'bigint' : 'text'}`);
  const rows = ended.map((quote) => {
    const cells = encodeRow(schema, tombstoneOf(quote));
    return Object.fromEntries(schema.columns.map(({ name }, at) => [name, cells[at]]));
  });
  const { rows: counted } = await connections.run({
    text:
      `with ended as (select * from jsonb_to_recordset($1::jsonb) as e (${types.join(', ')})), ` +
      `gone as (delete from ${quotes} q using ended where q.id = ended.request_id ` +
      `and not exists (select 1 from ${requests} r where r.id = q.id) returning q.id), ` +
      `buried as (insert into ${tombstones} (${columns.join(', ')}) ` +
      `select ${columns.map((name) => `ended.${name}`).join(', ')} from ended ` +
      'join gone on gone.id = ended.request_id on conflict do nothing)' +
      `, forgotten as (delete from ${said} m using gone where m.request_id = gone.id) ` +
      'select count(*) as n from gone',
    values: [JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? storable(value) : value))],
  });
  return Number(counted[0]?.['n'] ?? 0);
}
