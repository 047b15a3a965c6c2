import { afterEach, beforeEach, expect, it } from 'vitest';
import { schemaOf } from '../../src/store/schema.js';
import { connectionOf } from '../../src/store/sqlite/connection.js';
import { writerPool } from '../../src/store/sqlite/pools.js';
import { beginAndWrite } from '../../src/store/sqlite/write.js';
import { changeSet, insert, laneRow, metaRow } from '../../src/testing/store-fixtures.js';
import { log, type SqliteHarness, sqliteHarness } from './sqlite-harness.js';

let harness: SqliteHarness;

beforeEach(async () => {
  harness = await sqliteHarness();
});

afterEach(() => harness.dispose());

it.each([
  ['quotes', `it's "quoted" ''twice'', and ends with '`],
  ['statements', `'); delete from "meta"; --`],
  ['no characters', ''],
  ['NUL characters', `a\0b'\0`],
  ['marks of parameters', '? ?1 :name @name $name'],
  ['other scripts and line ends', 'é 漢 😀 \r\n\t \u2028 \\ \\0 %'],
  ['five megabytes', `'${'x'.repeat(5 * 1024 * 1024)}`],
])('texts are kept as they are: %s', async (_, value) => {
  const rows = [metaRow(1, { value }), metaRow(2, { value })];
  expect(await harness.store.apply(changeSet(...rows.map((row) => insert('meta', row))))).toEqual({ ok: true });
  const update = { op: 'update', table: 'meta', key: { key: rows[1]!.key }, version: 1, set: { value: `${value}'` } };
  expect(await harness.store.apply(changeSet(update as never))).toEqual({ ok: true });
  const kept = await Promise.all(rows.map(({ key }) => harness.store.meta(key)));
  expect(kept.map((row) => row?.value === value)).toEqual([true, false]);
  expect(kept[1]?.value === `${value}'`).toBe(true);
});

it('an update of a row that is not at its version any more ends the script', async () => {
  await harness.store.apply(changeSet(insert('lanes', laneRow(1)), insert('lanes', laneRow(2))));
  const pool = writerPool(harness.file, log);
  const database = await pool.client.acquireConnection();
  const [schema, halted] = [schemaOf('lanes'), schemaOf('lanes').columns.find(({ name }) => name === 'halted')!.at];
  const update = (n: number, from: number) => {
    const id = laneRow(n).id;
    return [id, { key: [id], from, to: from + 1, patch: new Map([[halted, 'x']]) }] as const;
  };
  const writing = (versions: readonly number[]) =>
    beginAndWrite(connectionOf(database), {
      inserts: new Map(),
      updates: new Map([[schema, new Map(versions.map((from, n) => update(n + 1, from)))]]),
      postings: [],
      pots: new Map([['after', 1n]]),
    } as never);
  await expect(writing([1, 7])).rejects.toThrow('all at their versions');
  expect(await harness.store.pot('after')).toBe(0n);
  await pool.client.releaseConnection(database);
  await pool.destroy();
});
