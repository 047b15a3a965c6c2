import type { RawRow } from '../../src/store/rows.js';

export interface Asked {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

export type All = (sql: string, bindings: readonly unknown[]) => Promise<readonly RawRow[]>;

/** Tables of configured size. */
const SMALL = [
  'endpoints',
  'lanes',
  'cursors',
  'leases',
  'pauses',
  'integrators',
  'api_keys',
  'meta',
  'schema_migrations',
];
/** Rows of the statement itself. */
const OWN = /^SCAN (\(subquery|found\b|json_each|pragma_data_version|c\d|CONSTANT|u\b|\d+ CONSTANT|\d+-ROW|r$)/;

/** Indexes of open or pending rows: as small as the work. */
const PARTIAL = "select name from sqlite_master where type = 'index' and sql like '% where %'";

/** One line per step. */
export async function linesOf(all: All, asked: readonly Asked[]): Promise<string[]> {
  const lines: string[] = [];
  for (const { sql, bindings } of asked) {
    const plan = await all(`explain query plan ${sql}`, bindings);
    lines.push(...plan.map((line) => String(line['detail'])));
  }
  return lines;
}

/** Steps that grow with history: full scans, also along a full index, and indexes built for the statement. */
export async function growing(all: All, lines: readonly string[]): Promise<string[]> {
  const partial = (await all(PARTIAL, [])).map((row) => String(row['name']));
  return lines.filter((line) => {
    if (line.includes('AUTOMATIC')) return true;
    if (!line.startsWith('SCAN ') || OWN.test(line)) return false;
    const [, table = '', index] = /^SCAN (\S+)(?: USING (?:COVERING )?INDEX (\S+))?/.exec(line) ?? [];
    return !SMALL.includes(table) && !(index !== undefined && partial.includes(index));
  });
}

/** Low-cardinality columns. */
const LOW_CARDINALITY =
  /chain_id$|^(state|status|signer|decision|kind|request_type|integrator_id|key_id|referrer)$|(symbol|currency|reason)$/;

/** Statistics of million-row tables. The product never runs ANALYZE; an operator may. */
export async function millionRows(all: All): Promise<void> {
  await all('analyze', []);
  await all('delete from sqlite_stat1', []);
  const indexes = await all(
    `select m.tbl_name as tbl, m.name as idx, m.sql as made, l."unique" as once
     from sqlite_master m join pragma_index_list(m.tbl_name) l on l.name = m.name where m.type = 'index'`,
    [],
  );
  for (const { tbl, idx, made, once } of indexes) {
    const columns = await all('select name from pragma_index_info(?)', [idx]);
    const rows = SMALL.includes(String(tbl)) ? 20 : / where /i.test(String(made)) ? 1_000 : 1_000_000;
    let alike = rows;
    const each = columns.map(({ name }, at) => {
      const few = name === null || LOW_CARDINALITY.test(String(name));
      alike = Math.max(1, few ? Math.floor(alike / 4) : Math.min(alike, 2));
      return at === columns.length - 1 && once === 1 ? 1 : alike;
    });
    await all('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)', [tbl, idx, [rows, ...each].join(' ')]);
  }
}
