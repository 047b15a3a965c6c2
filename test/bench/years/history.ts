import { type Copied, DONE, FAMILY } from './family.js';

const DAY = 86_400_000;
const YEAR = 365 * DAY;

export interface Sizes {
  readonly quotes: number;
  readonly requests: number;
}

export interface Weights {
  readonly request: number;
  readonly quote: number;
  readonly tombstone: number;
}

/** A ledger without a running service, and the SQL dialect of its database. */
export interface Ledger {
  all(sql: string, cells?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  columns(table: string): Promise<readonly string[]>;
  /** Expression for a column that a copy cannot take over; `s.n` is the copy's number. */
  cell(table: string, column: string): string | undefined;
  series(count: number): string;
  readonly digits: string;
  readonly chance: string;
  /** Drops what slows inserts down and returns the statements that recreate it. */
  dropIndexes(): Promise<readonly string[]>;
  /** Flushes writes and updates the planner's statistics. */
  settle(): Promise<void>;
  bytesOf(tables: readonly string[]): Promise<number>;
}

/**
 * Copies the service's own rows with new ids and times until they amount to a year. Ids are spread over all values,
 * as hashes are. The service must not run.
 *
 * Unpaid quotes of the last 30 days stay quotes; older ones are tombstones.
 */
export async function makeHistory(ledger: Ledger, { quotes, requests }: Sizes): Promise<Weights> {
  await ledger.all(`create temp table done as ${DONE}`);
  const [counted] = await ledger.all('select count(*) as n from done');
  const templates = Number(counted?.['n']);
  if (templates === 0) throw new Error('no request was settled for good, so there is nothing to copy');
  for (const { table, of } of FAMILY) {
    await ledger.all(`create temp table "of_${table}" as select distinct t.* from done r join "${table}" t on ${of}`);
  }
  const indexes = await ledger.dropIndexes();
  await ledger.all('begin');
  const copies = Math.ceil(requests / templates);
  for (const part of FAMILY) await copy(ledger, part, copies);
  await ledger.all('commit');
  const unpaid = Math.max(0, quotes - requests);
  const kept = Math.floor((unpaid * 30) / 365);
  await ledger.all('begin');
  await unpaidQuotes(ledger, kept);
  await tombstones(ledger, unpaid - kept);
  await ledger.all('commit');
  for (const index of indexes) await ledger.all(index);
  await ledger.settle();
  const family = [...FAMILY.map(({ table }) => table), 'request_listing'].filter((table) => table !== 'quotes');
  const quote = (await ledger.bytesOf(['quotes'])) / (copies * templates + kept);
  return {
    request: (await ledger.bytesOf(family)) / (copies * templates) + quote,
    quote,
    tombstone: (await ledger.bytesOf(['tombstones'])) / Math.max(1, unpaid - kept),
  };
}

async function copy(ledger: Ledger, { table, ids, times }: Copied, copies: number): Promise<void> {
  const columns = await ledger.columns(table);
  const back = `cast(${YEAR} * (1.0 - (s.n - 1.0) / ${copies}) as bigint)`;
  const fresh = (column: string) =>
    `case when ${column} is null then null when ${column} like '0x%' and length(${column}) = 66 ` +
    `then '0x' || ${ledger.digits} || substr(${column}, 11) else ${column} || '~' || ${ledger.digits} end`;
  const cells = columns.map((name) => {
    const column = `t."${name}"`;
    if (ids.includes(name)) return fresh(column);
    return ledger.cell(table, name) ?? (times.includes(name) ? `${column} - ${back}` : column);
  });
  await ledger.all(
    `insert into "${table}" (${named(columns)})
     select ${cells.join(', ')} from ${ledger.series(copies)} cross join "of_${table}" t where true on conflict do nothing`,
  );
}

async function unpaidQuotes(ledger: Ledger, count: number): Promise<void> {
  if (count === 0) return;
  const columns = await ledger.columns('quotes');
  const back = `cast(${30 * DAY} * (1.0 - (s.n - 1.0) / ${count}) as bigint)`;
  const cells = columns.map((name) => {
    if (name === 'id' || name === 'order_id') return ledger.chance;
    const moved = name === 'deadline_at' || name === 'expires_at' || name === 'created_at';
    return moved ? `t."${name}" - ${back}` : `t."${name}"`;
  });
  await ledger.all(
    `insert into quotes (${named(columns)}) select ${cells.join(', ')} from ${ledger.series(count)} cross join
       (select * from quotes q where not exists (select 1 from requests r where r.id = q.id) limit 1) t`,
  );
}

async function tombstones(ledger: Ledger, count: number): Promise<void> {
  if (count === 0) return;
  await ledger.all(
    `insert into tombstones (order_id, request_id, refund_to, origin_chain_id, key_id, deadline_at, created_at)
     select ${ledger.chance}, ${ledger.chance}, t."user", t.origin_chain_id, t.key_id, t.deadline_at - ${YEAR}, t.created_at - ${YEAR}
     from ${ledger.series(count)} cross join (select * from quotes limit 1) t`,
  );
}

function named(columns: readonly string[]): string {
  return columns.map((name) => `"${name}"`).join(', ');
}
