import { statSync } from 'node:fs';
import { type Connection, connectionOf } from '../../../core/src/store/sqlite/connection.js';
import { closeDatabase, openDatabase } from '../../../core/src/store/sqlite/open.js';
import type { World } from '../../support/world.js';
import { proxiedWorld } from '../proxied-world.js';
import type { Ledger } from './history.js';
import type { Place } from './place.js';

/** `OPEN_READWRITE` of the driver, which only core imports. */
const READ_WRITE = 2;

export const sqlitePlace: Place = {
  async open(tuning) {
    const opened = await proxiedWorld(tuning);
    const { home } = opened.world;
    return {
      opened,
      close: opened.close,
      work: (task) => onFile(home.database, task),
      bytes: async () => statSync(home.database).size,
      log: async () => statSync(walOf(opened.world)).size,
    };
  },
};

const walOf = ({ home }: World) => `${home.database}-wal`;

async function onFile<T>(file: string, task: (ledger: Ledger) => Promise<T>): Promise<T> {
  const database = await openDatabase(file, READ_WRITE);
  try {
    const connection = connectionOf(database);
    for (const pragma of ['synchronous = off', 'cache_size = -1000000', 'temp_store = memory', 'foreign_keys = off']) {
      await connection.all(`pragma ${pragma}`);
    }
    return await task(ledgerOn(connection));
  } finally {
    await closeDatabase(database);
  }
}

function ledgerOn(connection: Connection): Ledger {
  return {
    all: (sql, cells = []) => connection.all(sql, [...cells] as Parameters<Connection['all']>[1]),
    async columns(table) {
      const columns = await connection.all('select name from pragma_table_info(?)', [table]);
      const own = table === 'events' || table === 'transactions' ? ['position'] : [];
      return columns.map(({ name }) => String(name)).filter((name) => !own.includes(name));
    },
    cell: () => undefined,
    series: (count) =>
      `(with recursive c (n) as (select 1 union all select n + 1 from c where n < ${count}) select n from c) s`,
    digits: "printf('%08x', (s.n * 2654435761) & 4294967295)",
    chance: "'0x' || lower(hex(randomblob(32)))",
    async dropIndexes() {
      const indexes = await connection.all(
        `select name, sql from sqlite_master where type = 'index' and sql is not null and sql not like '%unique%'`,
      );
      for (const { name } of indexes) await connection.run(`drop index "${String(name)}"`);
      return indexes.map(({ sql }) => String(sql));
    },
    async settle() {
      await connection.all('pragma wal_checkpoint(truncate)');
    },
    async bytesOf(tables) {
      const names = await connection.all(
        `select name from sqlite_master where tbl_name in (select value from json_each(?)) and type in ('table', 'index')`,
        [JSON.stringify(tables)],
      );
      const [row] = await connection.all(
        'select sum(pgsize) as bytes from dbstat where aggregate = true and name in (select value from json_each(?))',
        [JSON.stringify(names.map(({ name }) => name))],
      );
      return Number(row?.['bytes'] ?? 0);
    },
  };
}
