import { Known, type Questions } from '../known.js';
import { identityOf } from '../prepare.js';
import type { Cell } from '../rows.js';
import type { TableSchema } from '../schema.js';
import type { Connection } from './connection.js';
import { chunks, tuples } from './write.js';

/** Answers what a group must know, with one statement per table and unique key. Runs inside the writing transaction. */
export async function lookUp(connection: Connection, questions: Questions): Promise<Known> {
  const known = new Known();
  for (const [schema, maps] of questions.rows) {
    for (const [at, asked] of maps.entries()) {
      if (asked.size > 0) await lookUpKey(connection, known, schema, at, [...asked.values()]);
    }
  }
  for (const chunk of chunks([...questions.groups], 1)) {
    const sql = `select distinct "group_id" as g from "postings" where "group_id" in ${tuples(1, chunk.length)}`;
    for (const row of await connection.all(sql, chunk)) known.groups.add(row['g'] as string);
  }
  for (const chunk of chunks([...questions.pots], 1)) {
    const sql = `select "account" as a, "amount" as n from "pots" where "account" in ${tuples(1, chunk.length)}`;
    for (const row of await connection.all(sql, chunk)) known.pots.set(row['a'] as string, BigInt(row['n'] as string));
  }
  return known;
}

async function lookUpKey(
  connection: Connection,
  known: Known,
  schema: TableSchema,
  at: number,
  asked: readonly (readonly Cell[])[],
): Promise<void> {
  const unique = schema.uniques[at]!;
  const width = unique.columns.length;
  const names = unique.columns.map((column) => `"${column.name}"`);
  const version = schema.version ? `"${schema.version.name}"` : '0';
  const only = unique.whenNull ? ` and "${unique.whenNull.name}" is null` : '';
  const found = known.rows(schema, at);
  for (const chunk of chunks(asked, width)) {
    const keys = width === 1 ? tuples(1, chunk.length) : `(values ${tuples(chunk.length, width)})`;
    const left = width === 1 ? names[0]! : `(${names.join(',')})`;
    const columns = names.map((name, index) => `${name} as k${index}`).join(',');
    const sql = `select ${columns}, ${version} as v from "${schema.name}" where ${left} in ${keys}${only}`;
    for (const row of await connection.all(sql, chunk.flat())) {
      found.set(identityOf(unique.columns.map((_, index) => row[`k${index}`])), Number(row['v']));
    }
  }
}
