import { Known, type Questions } from '../known.js';
import { identityOf } from '../prepare.js';
import type { Cell } from '../rows.js';
import { TABLES, type TableSchema } from '../schema.js';
import type { Connection } from './connection.js';
import { chunks, MAX_CELLS_PER_STATEMENT, tuples } from './write.js';

interface Part {
  readonly from: string;
  readonly keys: readonly string[];
  readonly value: string;
  readonly cells: readonly Cell[];
  readonly take: (keys: readonly unknown[], value: unknown) => void;
}

const MAX_KEYS = Math.max(...TABLES.flatMap(({ uniques }) => uniques.map(({ columns }) => columns.length)));
/** SQLite joins at most 500 selects. */
const MAX_PARTS = 200;

/** Inside the writing transaction, in one statement per group where possible, because each costs a thread-pool hop. */
export async function lookUp(connection: Connection, questions: Questions): Promise<Known> {
  const known = new Known();
  for (const parts of statements(partsOf(questions, known))) {
    const sql = parts.map((part, n) => selectOf(part, n)).join(' union all ');
    const cells = parts.flatMap((part) => part.cells);
    for (const row of await connection.all(sql, cells)) {
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
  for (const some of chunks([...groups], 1)) {
    const from = `"postings" where "group_id" in (${marks(some.length)})`;
    const take: Part['take'] = ([group]) => known.groups.add(group as string);
    yield { from, keys: ['"group_id"'], value: '0', cells: padded(some), take };
  }
  for (const some of chunks([...pots], 1)) {
    const from = `"pots" where "account" in (${marks(some.length)})`;
    const take: Part['take'] = ([account], amount) => known.pots.set(account as string, BigInt(amount as string));
    yield { from, keys: ['"account"'], value: '"amount"', cells: padded(some), take };
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
  const width = keys.length;
  const value = schema.version ? `"${schema.version.name}"` : '0';
  const only = unique.whenNull ? ` and "${unique.whenNull.name}" is null` : '';
  const found = known.rows(schema, at);
  const take: Part['take'] = (cells, version) => found.set(identityOf(cells), Number(version));
  for (const some of chunks(asked, width)) {
    const list = width === 1 ? marks(some.length) : `values ${tuples(countOf(some.length), width)}`;
    const left = width === 1 ? keys[0]! : `(${keys.join(',')})`;
    const from = `"${schema.name}" where ${left} in (${list})${only}`;
    yield { from, keys, value, cells: padded(some).flat(), take };
  }
}

function* statements(parts: Iterable<Part>): Generator<readonly Part[]> {
  let together: Part[] = [];
  let cells = 0;
  for (const part of parts) {
    if (together.length > 0 && (together.length === MAX_PARTS || cells + part.cells.length > MAX_CELLS_PER_STATEMENT)) {
      yield together;
      [together, cells] = [[], 0];
    }
    together.push(part);
    cells += part.cells.length;
  }
  if (together.length > 0) yield together;
}

function selectOf({ from, keys, value }: Part, n: number): string {
  const columns = Array.from({ length: MAX_KEYS }, (_, at) => `${keys[at] ?? 'null'} as k${at}`);
  return `select ${n} as part, ${columns.join(', ')}, ${value} as v from ${from}`;
}

function marks(count: number): string {
  return Array<string>(countOf(count)).fill('?').join(',');
}

/** Padded to the next power of two, so that fewer distinct texts are prepared. */
function padded<T>(list: readonly T[]): readonly T[] {
  const last = list.slice(-1);
  return [...list, ...Array.from({ length: countOf(list.length) - list.length }, () => last).flat()];
}

function countOf(count: number): number {
  return count <= 512 ? 2 ** Math.ceil(Math.log2(count)) : count;
}
