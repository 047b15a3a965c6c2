import { connected, startOwnPostgres } from '../../support/postgres.js';
import { proxiedWorld } from '../proxied-world.js';
import type { Ledger } from './history.js';
import type { Place } from './place.js';

const SCHEMA = 'causeway';

export const pgPlace: Place = {
  async open(tuning) {
    const server = await startOwnPostgres();
    const url = await server.database();
    const work = <T>(task: (ledger: Ledger) => Promise<T>) => onServer(url, (client) => task(ledgerOn(client)));
    const number = (sql: string) => work(async (ledger) => Number((await ledger.all(sql))[0]?.['bytes']));
    try {
      const store = { use: '@causeway/plugin-storage-pg', options: { url, schema: SCHEMA } };
      const opened = await proxiedWorld({ ...tuning, withPlugins: [...(tuning.withPlugins ?? []), store] });
      return {
        opened,
        work,
        bytes: () => number('select pg_database_size(current_database()) as bytes'),
        log: () => number('select sum(size) as bytes from pg_ls_waldir()'),
        async close() {
          await opened.close();
          await server.stop();
        },
      };
    } catch (error) {
      await server.stop();
      throw error;
    }
  },
};

function onServer<T>(url: string, task: (client: Client) => Promise<T>): Promise<T> {
  return connected(url, async (client) => {
    await client.query(`set search_path to ${SCHEMA}`);
    return task(client);
  });
}

interface Client {
  query(sql: string, cells?: unknown[]): Promise<{ readonly rows: Readonly<Record<string, unknown>>[] }>;
}

function ledgerOn(client: Client): Ledger {
  const all: Ledger['all'] = async (sql, cells = []) => (await client.query(sql, [...cells])).rows;
  return {
    all,
    async columns(table) {
      const columns = await all(
        'select column_name as name from information_schema.columns where table_schema = $1 and table_name = $2 order by ordinal_position',
        [SCHEMA, table],
      );
      const own = { events: 'arrival', transactions: 'position' }[table];
      return columns.map(({ name }) => String(name)).filter((name) => name !== own);
    },
    // Past events get positions before all those that the service assigned.
    cell: (table, column) => (table === 'events' && column === 'position' ? '-1 - row_number() over ()' : undefined),
    series: (count) => `generate_series(1::bigint, ${count}) s (n)`,
    digits: "lpad(to_hex((s.n * 2654435761) & 4294967295), 8, '0')",
    chance: "'0x' || encode(sha256((random()::text || s.n)::bytea), 'hex')",
    async dropIndexes() {
      const indexes = await all(
        `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as sql from pg_index i
         join pg_class c on c.oid = i.indexrelid where c.relnamespace = $1::regnamespace and not i.indisunique`,
        [SCHEMA],
      );
      for (const { name } of indexes) await all(`drop index ${String(name)}`);
      return indexes.map(({ sql }) => String(sql));
    },
    async settle() {
      await all('vacuum analyze');
      await all('checkpoint');
    },
    async bytesOf(tables) {
      const [row] = await all(
        'select sum(pg_total_relation_size(format($1, t)::regclass)) as bytes from unnest($2::text[]) t',
        [`${SCHEMA}.%I`, tables],
      );
      return Number(row?.['bytes'] ?? 0);
    },
  };
}
