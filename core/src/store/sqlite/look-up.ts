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

/** Keys of one list. */
const MAX_LISTED = 30_000;
const MAX_KEYS = Math.max(...TABLES.flatMap(({ uniques }) => uniques.map(({ columns }) => columns.length)));
/** SQLite joins at most 500 selects. */
const MAX_PARTS = 200;

/**
 * Inside the writing transaction, in one statement per group where possible, because each costs a thread-pool hop. Lists
 * are JSON, so that few texts occur and most are prepared: a new text costs one hop more, and its preparation.
 */
export async function lookUp(connection: Connection, questions: Questions): Promise<Known> {
  const known = new Known();
  const all = [...partsOf(questions, known)];
  for (let from = 0; from < all.length; from += MAX_PARTS) {
    const parts = all.slice(from, from + MAX_PARTS);
    const sql = parts.map((part, n) => selectOf(part, n)).join(' union all ');
    const lists = parts.map(({ list }) => list);
    for (const row of await connection.all(sql, lists)) {
      const { keys, take } = parts[Number(row['part'])]!;
      take(
        keys.map((_, at) => row[`k${at}`]),
        row['v'],
      );
    }
  }
  return known;
}

function* partsOf({ rows, groups, pots }: Questions, known: Known): Generator<Part> {
  for (const [schema, maps] of rows) {
    for (const [at, asked] of maps.entries()) yield* rowParts(known, schema, at, [...asked.values()]);
  }
  for (const list of lists([...groups])) {
    const from = `"postings" where "group_id" in (${LISTED})`;
    const take: Part['take'] = ([group]) => known.groups.add(group as string);
    yield { from, keys: ['"group_id"'], value: '0', list, take };
  }
  for (const list of lists([...pots])) {
    const from = `"pots" where "account" in (${LISTED})`;
    const take: Part['take'] = ([account], amount) => known.pots.set(account as string, BigInt(amount as string));
    yield { from, keys: ['"account"'], value: '"amount"', list, take };
  }
}

function* rowParts(
  known: Known,
  schema: TableSchema,
  at: number,
  asked: readonly (readonly Cell[])[],
): Generator<Part> {
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
  for (const list of lists(single ? asked.map(([cell]) => cell) : asked)) yield { from, keys, value, list, take };
}

const LISTED = 'select value from json_each(?)';

function* lists(values: readonly unknown[]): Generator<string> {
  for (let from = 0; from < values.length; from += MAX_LISTED)
    yield JSON.stringify(values.slice(from, from + MAX_LISTED));
}

function selectOf({ from, keys, value }: Part, n: number): string {
  const columns = Array.from({ length: MAX_KEYS }, (_, at) => `${keys[at] ?? 'null'} as k${at}`);
  return `select ${n} as part, ${columns.join(', ')}, ${value} as v from ${from}`;
}
