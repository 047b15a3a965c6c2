import type { RowUpdate, Writes } from '../judge.js';
import type { Cell } from '../rows.js';
import { schemaOf, TABLES, type TableSchema } from '../schema.js';
import type { Connection } from './connection.js';

/** SQLite binds at most 32,766 values per statement. */
export const MAX_CELLS_PER_STATEMENT = 30_000;
/** Characters of one script, about. */
const MAX_SCRIPT = 4 * 1024 * 1024;

/**
 * Tables that refuse each row. Rows get into one where an update missed some, into the other where another program
 * committed since the look-up.
 */
export const REFUSING_TABLES = [
  'create temp table if not exists "updated" (missed constraint "all at their versions" check (false))',
  'create temp table if not exists "overtaken" (by constraint "no other program wrote" check (false))',
];

/** Nothing was written: it was judged on what another program changed since. */
export function isOvertaken(error: unknown): boolean {
  return String((error as { message?: unknown } | null)?.message).includes('no other program wrote');
}

export function isEmpty({ inserts, updates, postings, pots }: Writes): boolean {
  // A set that is refused leaves its tables behind without rows.
  const isInserted = [...inserts.values()].some((rows) => rows.length > 0);
  const isUpdated = [...updates.values()].some((rows) => rows.size > 0);
  return !isInserted && !isUpdated && postings.length === 0 && pots.size === 0;
}

/**
 * Begins a transaction and writes, in one hop to the thread pool, as each takes 0.1 ms, and several while the machine is
 * busy: the change sets of calls for others take about fifteen statements. Values are literals, because a script binds none.
 *
 * @param judgedAt the database's version at the look-up. Another one ends the script, see `isOvertaken`.
 */
export async function beginAndWrite(connection: Connection, writes: Writes, judgedAt?: number): Promise<void> {
  let script = ['begin immediate'];
  let size = 0;
  // guard: judged-on-what-is-there
  if (judgedAt !== undefined)
    script.push(`insert into temp."overtaken" select 1 from pragma_data_version where data_version <> ${judgedAt}`);
  for (const statement of statements(writes)) {
    if (size > 0 && size + statement.length > MAX_SCRIPT) {
      await connection.script(script);
      [script, size] = [[], 0];
    }
    script.push(statement);
    size += statement.length;
  }
  if (size > 0) await connection.script(script);
}

function* statements({ inserts, updates, postings, pots }: Writes): Generator<string> {
  // In schema order: keys before their attempts, legs before what carries them.
  for (const schema of TABLES) {
    const rows = inserts.get(schema);
    if (rows && rows.length > 0) yield insertOf(schema, rows.map(tupleOf).join(','));
  }
  for (const [schema, some] of updates) for (const same of shapes(some.values())) yield* updateOf(schema, same);
  if (postings.length > 0) yield insertOf(schemaOf('postings'), postings.map(tupleOf).join(','));
  if (pots.size > 0) {
    const values = [...pots].map(([account, amount]) => tupleOf([account, amount.toString()]));
    yield `insert into "pots" ("account","amount") values ${values.join(',')} ` +
      'on conflict ("account") do update set "amount" = excluded."amount"';
  }
}

export async function insertRows(connection: Connection, schema: TableSchema, rows: readonly Cell[][]): Promise<void> {
  for (const chunk of chunks(rows, schema.columns.length)) {
    const { values, cells } = boundAs(chunk);
    await connection.run(insertOf(schema, values), cells);
  }
}

/**
 * For a `values` list into typed columns. The driver binds a text at once, but looks up `RegExp` in the global object for each
 * number or null: so numbers are bound as texts, which their columns turn into numbers again, and columns that are null in all
 * rows are not bound. Measured for 32 rows of 17 columns: 7 to 8 µs a row, 10 to 20 without.
 */
export function boundAs(rows: readonly (readonly Cell[])[]): { readonly values: string; readonly cells: Cell[] } {
  const isBound = rows[0]?.map((_, at) => rows.some((row) => row[at] !== null)) ?? [];
  const tuple = `(${isBound.map((bound) => (bound ? '?' : 'null')).join(',')})`;
  const cells: Cell[] = [];
  for (const row of rows)
    for (let at = 0; at < row.length; at += 1) {
      const cell = row[at] ?? null;
      if (isBound[at]) cells.push(typeof cell === 'number' ? cell.toString() : cell);
    }
  return { values: Array(rows.length).fill(tuple).join(','), cells };
}

function insertOf(schema: TableSchema, values: string): string {
  const names = schema.columns.map((column) => `"${column.name}"`).join(',');
  return `insert into "${schema.name}" (${names}) values ${values}`;
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
 * Race closed here: none should be possible, because nothing else wrote since the writer read these versions. Versions
 * are compared again, and a mismatch aborts the transaction.
 */
function* updateOf(schema: TableSchema, updates: readonly RowUpdate[]): Generator<string> {
  const ats = [...updates[0]!.patch.keys()].sort((a, b) => a - b);
  const keys = schema.key.columns;
  const fields = [...keys.map((_, at) => `k${at}`), 'v0', 'v1', ...ats.map((at) => `c${at}`)];
  const sets = ['"version" = u.v1', ...ats.map((at) => `"${schema.columns[at]!.name}" = u.c${at}`)];
  const match = keys.map((column, at) => `"${schema.name}"."${column.name}" = u.k${at}`);
  const rows = updates.map((update) =>
    tupleOf([...update.key, update.from, update.to, ...ats.map((at) => update.patch.get(at) ?? null)]),
  );
  yield `with u(${fields.join(',')}) as (values ${rows.join(',')}) ` +
    `update "${schema.name}" set ${sets.join(', ')} from u ` +
    `where ${match.join(' and ')} and "${schema.name}"."version" = u.v0`;
  yield `insert into temp."updated" select ${literal(schema.name)} where changes() <> ${updates.length}`;
}

function tupleOf(cells: readonly Cell[]): string {
  return `(${cells.map(literal).join(',')})`;
}

/** A script ends at a NUL character. */
function literal(cell: Cell): string {
  if (typeof cell !== 'string') return String(cell);
  const quoted = `'${cell.replaceAll("'", "''")}'`;
  return quoted.includes('\0') ? `(${quoted.replaceAll('\0', "'||char(0)||'")})` : quoted;
}

export function tuples(rows: number, width: number): string {
  const one = `(${Array<string>(width).fill('?').join(',')})`;
  return Array<string>(rows).fill(one).join(',');
}

export function* chunks<T>(rows: readonly T[], width: number): Generator<readonly T[]> {
  const size = Math.max(1, Math.floor(MAX_CELLS_PER_STATEMENT / width));
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}
