import type { Knex } from 'knex';
import type { TableName, Tables } from '../../contract/store-rows.js';
import { decodeRows, type RawRow } from '../rows.js';
import { schemaOf } from '../schema.js';

export type Reader = Knex;

/** Well under SQLite's 32,766 bound values and PostgreSQL's 65,535. */
const MAX_IN_LIST = 10_000;

/** Some drivers return rows, others a result that contains them. */
export function rowsOf(result: unknown): RawRow[] {
  return Array.isArray(result) ? (result as RawRow[]) : (result as { readonly rows: RawRow[] }).rows;
}

/** Texts of a bound JSON array as `value`, so that the statement is the same for any length. */
export function eachOf(reader: Reader): string {
  return EACH[String(reader.client.config.client)] ?? '';
}

const EACH: Readonly<Record<string, string>> = {
  sqlite3: 'select value from json_each(?)',
  pg: 'select value from json_array_elements_text(?::json)',
};

export async function select<T extends TableName>(
  reader: Reader,
  table: T,
  build: (query: Knex.QueryBuilder) => Knex.QueryBuilder,
): Promise<Tables[T][]> {
  const raws = (await build(reader(schemaOf(table).name))) as RawRow[];
  return decodeRows(table, raws);
}

export async function selectIn<T extends TableName>(
  reader: Reader,
  table: T,
  column: string,
  values: readonly string[],
  build: (query: Knex.QueryBuilder) => Knex.QueryBuilder = (query) => query,
): Promise<Tables[T][]> {
  const wanted = [...new Set(values)];
  const rows: Tables[T][] = [];
  for (let start = 0; start < wanted.length; start += MAX_IN_LIST) {
    const part = wanted.slice(start, start + MAX_IN_LIST);
    rows.push(...(await select(reader, table, (query) => build(query.whereIn(column, part)))));
  }
  return rows;
}

export function groupBy<R, K>(rows: readonly R[], keyOf: (row: R) => K): Map<K, R[]> {
  const groups = new Map<K, R[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}
