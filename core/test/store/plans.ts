import type { RawRow } from '../../src/store/rows.js';

/** One statement as it was run. */
export interface Asked {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

export type All = (sql: string, bindings: readonly unknown[]) => Promise<readonly RawRow[]>;

/** Tables that an operator's configuration makes, whose rows history does not add to. */
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
/** What the statement itself brought along or has found before. */
const OWN = /^SCAN (\(subquery|found\b|json_each|c\d|CONSTANT|u\b|\d+ CONSTANT|\d+-ROW|r$)/;

/** Indexes that hold only what is open, or due: as few rows as there is work, whatever was done before. */
const PARTIAL = "select name from sqlite_master where type = 'index' and sql like '% where %'";

/** The plan of every statement, one line a step. */
export async function linesOf(all: All, asked: readonly Asked[]): Promise<string[]> {
  const lines: string[] = [];
  for (const { sql, bindings } of asked) {
    const plan = await all(`explain query plan ${sql}`, bindings);
    lines.push(...plan.map((line) => String(line['detail'])));
  }
  return lines;
}

/**
 * Steps whose work grows with what was ever kept: a table read from end to end, by itself or along an index that has all of it,
 * and an index that is made for the statement.
 */
export async function growing(all: All, lines: readonly string[]): Promise<string[]> {
  const partial = (await all(PARTIAL, [])).map((row) => String(row['name']));
  return lines.filter((line) => {
    if (line.includes('AUTOMATIC')) return true;
    if (!line.startsWith('SCAN ') || OWN.test(line)) return false;
    const [, table = '', index] = /^SCAN (\S+)(?: USING (?:COVERING )?INDEX (\S+))?/.exec(line) ?? [];
    return !SMALL.includes(table) && !(index !== undefined && partial.includes(index));
  });
}

/** What has a few values only, whatever was done; any other column tells nearly every row from the others. */
const FEW =
  /chain_id$|^(state|status|signer|decision|kind|request_type|integrator_id|key_id|referrer)$|(symbol|currency|reason)$/;

/**
 * Statistics as those of tables of a million rows, for a planner that has any: nothing of the product makes them, but an
 * operator may.
 */
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
      const few = name === null || FEW.test(String(name));
      alike = Math.max(1, few ? Math.floor(alike / 4) : Math.min(alike, 2));
      return at === columns.length - 1 && once === 1 ? 1 : alike;
    });
    await all('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)', [tbl, idx, [rows, ...each].join(' ')]);
  }
}
