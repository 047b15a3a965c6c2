import sqlite3 from 'sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectionOf } from '../../src/store/sqlite/connection.js';
import { keepPrepared, MAX_STATEMENTS } from '../../src/store/sqlite/prepared.js';

let database: sqlite3.Database;
let prepare: ReturnType<typeof vi.spyOn>;

beforeEach(async () => {
  database = new sqlite3.Database(':memory:');
  keepPrepared(database, MAX_STATEMENTS.reader);
  prepare = vi.spyOn(database, 'prepare');
  await connectionOf(database).run('create table t (n integer)');
  await connectionOf(database).run('insert into t values (1), (2), (3)');
});

afterEach(() => close());

const above = 'select n from t where n > ? order by n';
const ask = (sql: string, cells: readonly (string | number)[] = []) => connectionOf(database).all(sql, cells);

function close(): Promise<void> {
  return new Promise((resolve, reject) => {
    database.close((error) => {
      if (error && !/SQLITE_MISUSE/.test(error.message)) reject(error);
      else resolve();
    });
  });
}

describe('statements of a connection', () => {
  it('are prepared once from the second time on', async () => {
    expect(await ask(above, [1])).toEqual([{ n: 2 }, { n: 3 }]);
    expect(prepare).not.toHaveBeenCalled();
    for (const least of [2, 0, 2]) expect(await ask(above, [least])).toHaveLength(3 - least);
    expect(prepare).toHaveBeenCalledOnce();
  });

  it('see what was written since, and a table that was made again', async () => {
    for (let n = 0; n < 3; n += 1) await ask(above, [0]);
    await connectionOf(database).run('insert into t values (4)');
    expect(await ask(above, [2])).toEqual([{ n: 3 }, { n: 4 }]);
    await connectionOf(database).run('drop table t');
    await expect(ask(above, [0])).rejects.toThrow('no such table');
    await connectionOf(database).run('create table t (n integer, m integer)');
    for (let n = 0; n < 3; n += 1) expect(await ask(above, [0])).toEqual([]);
  });

  it('that cannot be prepared fail each time, and nothing else does', async () => {
    for (let n = 0; n < 4; n += 1) await expect(ask('select n from nowhere')).rejects.toThrow('no such table');
    expect(await ask(above, [2])).toEqual([{ n: 3 }]);
  });

  it('hold no snapshot: others write while they are kept', async () => {
    for (let n = 0; n < 3; n += 1) await ask('select count(*) as n from t');
    await connectionOf(database).run('begin immediate');
    await connectionOf(database).run('delete from t');
    await connectionOf(database).run('commit');
    await connectionOf(database).run('vacuum');
    expect(await ask('select count(*) as n from t')).toEqual([{ n: 0 }]);
  });

  it('that write report how much they changed, each time', async () => {
    const add = 'insert into t select n + ? from t where n <= ?';
    for (const rows of [1, 2, 3]) expect(await connectionOf(database).run(add, [100, rows])).toBe(rows);
    expect(prepare).toHaveBeenCalledOnce();
    expect(await ask('select count(*) as n from t')).toEqual([{ n: 9 }]);
  });

  it('that are refused leave the transaction to its owner, and work again', async () => {
    const { run } = connectionOf(database);
    await run('create unique index one on t (n)');
    const add = 'insert into t values (?)';
    for (const n of [11, 12]) await run(add, [n]);
    await run('begin immediate');
    await run(add, [13]);
    await expect(run(add, [1])).rejects.toThrow('UNIQUE');
    await run('rollback');
    await run(add, [13]);
    expect(await ask(above, [10])).toEqual([{ n: 11 }, { n: 12 }, { n: 13 }]);
  });

  it('that write and cannot be prepared fail each time', async () => {
    for (let n = 0; n < 4; n += 1)
      await expect(connectionOf(database).run('delete from nowhere')).rejects.toThrow('no such table');
  });

  it('that are long are not kept', async () => {
    const long = `select n from t where n in (${Array(5_000).fill('?').join(',')})`;
    for (let n = 0; n < 3; n += 1) expect(await ask(long, Array(5_000).fill(2))).toEqual([{ n: 2 }]);
    expect(prepare).not.toHaveBeenCalled();
  });

  it('end with the connection, however many there are', async () => {
    for (let n = 0; n < 100; n += 1) {
      for (let times = 0; times < 2; times += 1) expect(await ask(`select ${n} as n`)).toEqual([{ n }]);
    }
    await new Promise<void>((resolve, reject) => database.close((error) => (error ? reject(error) : resolve())));
  });
});
