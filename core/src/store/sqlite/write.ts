import type { RowUpdate, Writes } from '../judge.js';
import type { Cell } from '../rows.js';
import { schemaOf, TABLES, type TableSchema } from '../schema.js';
import type { Connection } from './connection.js';

/** SQLite binds at most 32,766 values per statement. */
export const MAX_CELLS_PER_STATEMENT = 30_000;

/** One statement per table and shape of update, because each costs a thread-pool hop (about 0.1 ms). */
export async function write(connection: Connection, writes: Writes): Promise<void> {
  // In schema order: keys before their attempts, legs before what carries them.
  for (const schema of TABLES) {
    const rows = writes.inserts.get(schema);
    if (rows && rows.length > 0) await insertRows(connection, schema, rows);
  }
  for (const [schema, updates] of writes.updates) {
    for (const same of shapes(updates.values())) await updateRows(connection, schema, same);
  }
  if (writes.postings.length > 0) await insertRows(connection, schemaOf('postings'), writes.postings);
  if (writes.pots.size > 0) await writePots(connection, writes.pots);
}

export async function insertRows(connection: Connection, schema: TableSchema, rows: readonly Cell[][]): Promise<void> {
  const names = schema.columns.map((column) => `"${column.name}"`).join(',');
  for (const chunk of chunks(rows, schema.columns.length)) {
    const values = tuples(chunk.length, schema.columns.length);
    await connection.run(`insert into "${schema.name}" (${names}) values ${values}`, chunk.flat());
  }
}

function shapes(updates: Iterable<RowUpdate>): Iterable<RowUpdate[]> {
  const byShape = new Map<string, RowUpdate[]>();
  for (const update of updates) {
    const shape = [...update.patch.keys()].sort((a, b) => a - b).join();
    const same = byShape.get(shape);
    if (same) same.push(update);
    else byShape.set(shape, [update]);
  }
  return byShape.values();
}

/**
 * Race closed here: none should be possible, because the writer read these versions in the same transaction. Versions
 * are compared again, and a mismatch aborts the transaction.
 */
async function updateRows(connection: Connection, schema: TableSchema, updates: readonly RowUpdate[]): Promise<void> {
  const ats = [...updates[0]!.patch.keys()].sort((a, b) => a - b);
  const keys = schema.key.columns;
  const width = keys.length + 2 + ats.length;
  const fields = [...keys.map((_, at) => `k${at}`), 'v0', 'v1', ...ats.map((at) => `c${at}`)];
  const sets = ['"version" = u.v1', ...ats.map((at) => `"${schema.columns[at]!.name}" = u.c${at}`)];
  const match = keys.map((column, at) => `"${schema.name}"."${column.name}" = u.k${at}`);
  for (const chunk of chunks(updates, width)) {
    const sql =
      `with u(${fields.join(',')}) as (values ${tuples(chunk.length, width)}) ` +
      `update "${schema.name}" set ${sets.join(', ')} from u ` +
      `where ${match.join(' and ')} and "${schema.name}"."version" = u.v0`;
    const cells = chunk.flatMap((update) => [
      ...update.key,
      update.from,
      update.to,
      ...ats.map((at) => update.patch.get(at) ?? null),
    ]);
    const changed = await connection.run(sql, cells);
    if (changed !== chunk.length) {
      throw new Error(`${schema.name}: ${chunk.length} rows to update, ${changed} at their version`);
    }
  }
}

async function writePots(connection: Connection, pots: ReadonlyMap<string, bigint>): Promise<void> {
  for (const chunk of chunks([...pots], 2)) {
    await connection.run(
      `insert into "pots" ("account","amount") values ${tuples(chunk.length, 2)} ` +
        'on conflict ("account") do update set "amount" = excluded."amount"',
      chunk.flatMap(([account, amount]) => [account, amount.toString()]),
    );
  }
}

export function tuples(rows: number, width: number): string {
  const one = `(${Array<string>(width).fill('?').join(',')})`;
  return Array<string>(rows).fill(one).join(',');
}

export function* chunks<T>(rows: readonly T[], width: number): Generator<readonly T[]> {
  const size = Math.max(1, Math.floor(MAX_CELLS_PER_STATEMENT / width));
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}
