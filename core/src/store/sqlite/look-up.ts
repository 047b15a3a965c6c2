import { Known, type Questions } from '../known.js';
import { identityOf } from '../prepare.js';
import type { Cell } from '../rows.js';
import { TABLES, type TableSchema } from '../schema.js';
import type { Connection } from './connection.js';

interface Part {
  readonly from: string;
  readonly keys: readonly string[];
  readonly value: string;
  /** JSON. */
  readonly list: string;
  readonly take: (keys: readonly unknown[], value: unknown) => void;
}

export interface LookedUp {
  readonly known: Known;
  /** Differs after each commit of another connection. Undefined: nothing was asked. */
  readonly dataVersion: number | undefined;
}

const MAX_KEYS = Math.max(...TABLES.flatMap(({ uniques }) => uniques.map(({ columns }) => columns.length)));
const LISTED = 'select value from json_each(?)';

/**
 * On the writing connection before its transaction, in one statement, because each costs a thread-pool hop: SQLite joins up to 500 selects, and
 * there are 42 unique keys. Lists are JSON, so that few texts occur and most are prepared: a new text costs one hop more, and
 * its preparation.
 */
export async function lookUp(connection: Connection, questions: Questions): Promise<LookedUp> {
  const known = new Known();
  const parts = [...partsOf(questions, known)];
  if (parts.length === 0) return { known, dataVersion: undefined };
  const sql = [...parts, VERSION].map((part, n) => selectOf(part, n)).join(' union all ');
  let dataVersion: number | undefined;
  const lists = parts.map(({ list }) => list);
  for (const row of await connection.all(sql, lists)) {
    const part = parts[Number(row['part'])];
    if (part === undefined) dataVersion = Number(row['v']);
    else
      part.take(
        part.keys.map((_, at) => row[`k${at}`]),
        row['v'],
      );
  }
  return { known, dataVersion };
}

function* partsOf({ rows, groups, pots }: Questions, known: Known): Generator<Part> {
  for (const [schema, maps] of rows) {
    for (const [at, asked] of maps.entries()) if (asked.size > 0) yield rowPart(known, schema, at, [...asked.values()]);
  }
  if (groups.size > 0) {
    const list = JSON.stringify([...groups]);
    const from = `"postings" where "group_id" in (${LISTED})`;
    const take: Part['take'] = ([group]) => known.groups.add(group as string);
    yield { from, keys: ['"group_id"'], value: '0', list, take };
  }
  if (pots.size > 0) {
    const list = JSON.stringify([...pots]);
    const from = `"pots" where "account" in (${LISTED})`;
    const take: Part['take'] = ([account], amount) => known.pots.set(account as string, BigInt(amount as string));
    yield { from, keys: ['"account"'], value: '"amount"', list, take };
  }
}

function rowPart(known: Known, schema: TableSchema, at: number, asked: readonly (readonly Cell[])[]): Part {
  const unique = schema.uniques[at]!;
  const keys = unique.columns.map((column) => `"${column.name}"`);
  const value = schema.version ? `"${schema.version.name}"` : '0';
  const only = unique.whenNull ? ` and "${unique.whenNull.name}" is null` : '';
  const found = known.rows(schema, at);
  const take: Part['take'] = (cells, version) => found.set(identityOf(cells), Number(version));
  const single = keys.length === 1;
  const [left, right] = single
    ? [keys[0], LISTED]
    : [`(${keys})`, `select ${keys.map((_, n) => `value ->> ${n}`)} from json_each(?)`];
  const from = `"${schema.name}" where ${left} in (${right})${only}`;
  const list = JSON.stringify(single ? asked.map(([cell]) => cell) : asked);
  return { from, keys, value, list, take };
}

const VERSION = { from: 'pragma_data_version', keys: [], value: 'data_version' } as const;

function selectOf({ from, keys, value }: Pick<Part, 'from' | 'keys' | 'value'>, n: number): string {
  const columns = Array.from({ length: MAX_KEYS }, (_, at) => `${keys[at] ?? 'null'} as k${at}`);
  return `select ${n} as part, ${columns.join(', ')}, ${value} as v from ${from}`;
}
