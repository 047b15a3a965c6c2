import { type Connection, connectionOf } from '../../../core/src/store/sqlite/connection.js';
import { closeDatabase, openDatabase } from '../../../core/src/store/sqlite/open.js';

/** `OPEN_READWRITE` of the driver, which is core's alone. */
const READ_WRITE = 2;
const DAY = 86_400_000;
const YEAR = 365 * DAY;

export interface Sizes {
  readonly quotes: number;
  readonly requests: number;
}

/** Bytes that one more of each takes, with its part of every index. */
export interface Weights {
  readonly request: number;
  readonly quote: number;
  readonly tombstone: number;
}

interface Copied {
  readonly table: string;
  readonly ids: readonly string[];
  readonly times: readonly string[];
  /** Which rows of the request `r` that is copied. */
  readonly of: string;
}

const LEGS =
  'select l.id from legs l where l.request_id = r.id or l.id in (select d.collect_leg_id from deposits d where d.request_id = r.id)';
const ATTEMPTS = `select al.attempt_id from attempt_legs al where al.leg_id in (${LEGS})`;

/** All that belongs to a request, parents before their children. */
const FAMILY: readonly Copied[] = [
  { table: 'quotes', ids: ['id', 'order_id'], times: ['created_at', 'expires_at', 'deadline_at'], of: 't.id = r.id' },
  {
    table: 'requests',
    ids: ['id', 'order_id', 'funding_key'],
    times: ['created_at', 'updated_at', 'deadline_at'],
    of: 't.id = r.id',
  },
  {
    table: 'deposits',
    ids: ['funding_key', 'transaction_hash', 'order_id', 'request_id', 'collect_leg_id'],
    times: ['seen_at', 'block_time'],
    of: 't.request_id = r.id',
  },
  {
    table: 'legs',
    ids: ['id', 'request_id', 'funding_key', 'order_id'],
    times: ['created_at', 'due_at', 'deadline_at', 'included_at'],
    of: `t.id in (${LEGS})`,
  },
  {
    table: 'keys',
    ids: ['id', 'key', 'included_hash'],
    times: ['created_at'],
    of: `t.id in (select a.key_id from attempts a where a.id in (${ATTEMPTS}))`,
  },
  { table: 'attempts', ids: ['id', 'key_id', 'hash'], times: ['signed_at', 'sent_at'], of: `t.id in (${ATTEMPTS})` },
  { table: 'attempt_legs', ids: ['attempt_id', 'leg_id'], times: [], of: `t.leg_id in (${LEGS})` },
  { table: 'transactions', ids: ['id', 'request_id', 'hash'], times: [], of: 't.request_id = r.id' },
  { table: 'events', ids: ['id', 'request_id'], times: ['created_at'], of: 't.request_id = r.id' },
  { table: 'postings', ids: ['group_id', 'request_id', 'leg_id'], times: ['created_at'], of: 't.request_id = r.id' },
];

/** Settled for good, and nothing of it is open: what a year leaves behind. */
const DONE = `select r.id from requests r where r.status = 'success' and exists (select 1 from deposits d
  where d.request_id = r.id and d.state = 'final' and d.collect_leg_id is not null)
  and not exists (select 1 from legs l where l.id in (${LEGS}) and l.state <> 'done')
  and not exists (select 1 from keys k join attempts a on a.key_id = k.id where a.id in (${ATTEMPTS}) and k.state = 'open')`;

/**
 * Copies what the service itself left, with ids and times of its own, until it is as much as a year leaves: rows have the shape
 * and the length of real ones. Ids are spread over all values, as hashes are. The service must not run.
 *
 * Unpaid quotes of the last 30 days stay quotes, older ones are tombstones.
 */
export async function makeHistory(file: string, sizes: Sizes): Promise<Weights> {
  const database = await openDatabase(file, READ_WRITE);
  try {
    const connection = connectionOf(database);
    for (const pragma of ['synchronous = off', 'cache_size = -1000000', 'temp_store = memory', 'foreign_keys = off']) {
      await connection.all(`pragma ${pragma}`);
    }
    return await fill(connection, sizes);
  } finally {
    await closeDatabase(database);
  }
}

async function fill(connection: Connection, { quotes, requests }: Sizes): Promise<Weights> {
  await connection.run(`create temp table done as ${DONE}`);
  const [counted] = await connection.all('select count(*) as n from done');
  const templates = Number(counted?.['n']);
  if (templates === 0) throw new Error('no request was settled for good, so there is nothing to copy');
  // Taken while they are found by index, and while there are no copies of them.
  for (const { table, of } of FAMILY) {
    await connection.run(
      `create temp table "of_${table}" as select distinct t.* from done r join "${table}" t on ${of}`,
    );
  }
  const indexes = await connection.all(
    `select name, sql from sqlite_master where type = 'index' and sql is not null and sql not like '%unique%'`,
  );
  for (const { name } of indexes) await connection.run(`drop index "${String(name)}"`);
  await connection.run('begin');
  const copies = Math.ceil(requests / templates);
  for (const part of FAMILY) await copy(connection, part, copies);
  await connection.run('commit');
  const unpaid = Math.max(0, quotes - requests);
  const kept = Math.floor((unpaid * 30) / 365);
  await connection.run('begin');
  await unpaidQuotes(connection, kept);
  await tombstones(connection, unpaid - kept);
  await connection.run('commit');
  for (const { sql } of indexes) await connection.run(String(sql));
  await connection.all('pragma wal_checkpoint(truncate)');
  const family = [...FAMILY.map(({ table }) => table), 'request_listing'];
  const quoteBytes = (await bytesOf(connection, ['quotes'])) / (copies * templates + kept);
  return {
    request:
      (await bytesOf(
        connection,
        family.filter((table) => table !== 'quotes'),
      )) /
        (copies * templates) +
      quoteBytes,
    quote: quoteBytes,
    tombstone: (await bytesOf(connection, ['tombstones'])) / Math.max(1, unpaid - kept),
  };
}

const HEX = "printf('%08x', (s.n * 2654435761) & 4294967295)";
const fresh = (column: string) =>
  `case when ${column} is null then null when ${column} like '0x%' and length(${column}) = 66 ` +
  `then '0x' || ${HEX} || substr(${column}, 11) else ${column} || '~' || ${HEX} end`;

async function columnsOf(connection: Connection, table: string): Promise<string[]> {
  const columns = await connection.all('select name from pragma_table_info(?)', [table]);
  const own = table === 'events' || table === 'transactions' ? ['position'] : [];
  return columns.map(({ name }) => String(name)).filter((name) => !own.includes(name));
}

async function copy(connection: Connection, { table, ids, times }: Copied, copies: number): Promise<void> {
  const columns = await columnsOf(connection, table);
  const back = `cast(${YEAR} * (1.0 - (s.n - 1.0) / ${copies}) as integer)`;
  const cells = columns.map((name) => {
    const column = `t."${name}"`;
    if (ids.includes(name)) return fresh(column);
    return times.includes(name) ? `${column} - ${back}` : column;
  });
  await connection.run(
    `with recursive s (n) as (select 1 union all select n + 1 from s where n < ?)
     insert or ignore into "${table}" (${columns.map((name) => `"${name}"`).join(', ')})
     select ${cells.join(', ')} from s cross join "of_${table}" t`,
    [copies],
  );
}

/** Made of one that was asked for and not paid. */
async function unpaidQuotes(connection: Connection, count: number): Promise<void> {
  if (count === 0) return;
  const columns = await columnsOf(connection, 'quotes');
  const back = `cast(${30 * DAY} * (1.0 - (s.n - 1.0) / ${count}) as integer)`;
  const cells = columns.map((name) => {
    if (name === 'id' || name === 'order_id') return `'0x' || lower(hex(randomblob(32)))`;
    return name === 'deadline_at' || name === 'expires_at' || name === 'created_at'
      ? `t."${name}" - ${back}`
      : `t."${name}"`;
  });
  await connection.run(
    `with recursive s (n) as (select 1 union all select n + 1 from s where n < ?)
     insert into quotes (${columns.map((name) => `"${name}"`).join(', ')})
     select ${cells.join(', ')} from s cross join
       (select * from quotes q where not exists (select 1 from requests r where r.id = q.id) limit 1) t`,
    [count],
  );
}

async function tombstones(connection: Connection, count: number): Promise<void> {
  if (count === 0) return;
  await connection.run(
    `with recursive s (n) as (select 1 union all select n + 1 from s where n < ?)
     insert into tombstones (order_id, request_id, refund_to, origin_chain_id, key_id, deadline_at, created_at)
     select '0x' || lower(hex(randomblob(32))), '0x' || lower(hex(randomblob(32))), t."user", t.origin_chain_id, t.key_id,
       t.deadline_at - ${YEAR}, t.created_at - ${YEAR} from s cross join (select * from quotes limit 1) t`,
    [count],
  );
}

async function bytesOf(connection: Connection, tables: readonly string[]): Promise<number> {
  const names = await connection.all(
    `select name from sqlite_master where tbl_name in (select value from json_each(?)) and type in ('table', 'index')`,
    [JSON.stringify(tables)],
  );
  const [row] = await connection.all(
    'select sum(pgsize) as bytes from dbstat where aggregate = true and name in (select value from json_each(?))',
    [JSON.stringify(names.map(({ name }) => name))],
  );
  return Number(row?.['bytes'] ?? 0);
}
