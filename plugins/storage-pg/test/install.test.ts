import { TABLES } from '@causeway/core/sql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clock, PgBench, storeOn } from './support/pg-harness.js';
import { type PostgresServer, startOwnPostgres } from './support/postgres.js';
import { applied, insert, legRow, requestRow, set } from './support/rows.js';

let server: PostgresServer;
let bench: PgBench;

beforeAll(async () => {
  server = await startOwnPostgres();
  bench = await PgBench.start(server);
});
afterAll(() => bench?.stop());

async function asked<R extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}

const TYPES = { text: 'text', json: 'text', int: 'bigint', big: 'numeric', bool: 'boolean' } as const;

const UNMAPPED: Readonly<Record<string, readonly string[]>> = {
  events: ['position', 'arrival'],
  transactions: ['position'],
  quotes: ['paid'],
  postings: ['opens_group'],
  addresses: ['position'],
};

describe('the tables', () => {
  it('have exactly the columns and types that rows are mapped to, and compare texts by bytes', async () => {
    const url = await bench.database();
    const columns = await asked<{ table_name: string; column_name: string; data_type: string; collation_name: string }>(
      url,
      "select table_name, column_name, data_type, collation_name from information_schema.columns where table_schema = 'causeway'",
    );
    for (const { name, columns: mapped } of TABLES) {
      const own = columns.filter(
        (column) => column.table_name === name && !UNMAPPED[name]?.includes(column.column_name),
      );
      expect(own.map((column) => [column.column_name, column.data_type]).sort(), name).toEqual(
        mapped.map((column) => [column.name, TYPES[column.type]]).sort(),
      );
      for (const column of own) expect([null, 'C'], column.column_name).toContain(column.collation_name);
    }
  });

  it('are made once, however many processes start at the same time', async () => {
    const url = await server.database();
    const stores = Array.from({ length: 5 }, () => storeOn(url));
    await Promise.all(stores.map((store) => store.open()));
    await Promise.all(stores.map((store, n) => applied(store, insert('legs', legRow(n)))));
    expect(await stores[0]?.legs([0, 1, 2, 3, 4].map((n) => legRow(n).id))).toHaveLength(5);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('are made although a third party died while making them', async () => {
    const url = await bench.database();
    await asked(url, 'update causeway.schema_migrations_lock set is_locked = 1');
    const store = storeOn(url);
    await store.open();
    await store.close();
  });

  it('of a newer program are refused', async () => {
    const url = await bench.database();
    await asked(
      url,
      "insert into causeway.schema_migrations (name, batch, migration_time) values ('9999-future', 9, now())",
    );
    await expect(storeOn(url).open()).rejects.toThrow('9999-future');
  });

  it('of two services share a database in schemas of their own', async () => {
    const url = await server.database();
    const [one, two] = [storeOn(url, { schema: 'one' }), storeOn(url, { schema: 'two' })];
    await Promise.all([one.open(), two.open()]);
    await applied(one, insert('legs', legRow(1)));
    expect(await two.legs([legRow(1).id])).toEqual([]);
    await applied(two, insert('legs', legRow(1)));
    expect(await two.claimLeases(['service'], 'two', 9_000)).toEqual(await one.claimLeases(['service'], 'one', 9_000));
    await Promise.all([one.close(), two.close()]);
  });
});

describe('a database that cannot keep the contract', () => {
  it('is refused for its encoding', async () => {
    const url = new URL(await server.database());
    await asked(url.href, "create database latin template template0 encoding 'LATIN1' locale_provider libc locale 'C'");
    url.pathname = '/latin';
    await expect(storeOn(url.href).open()).rejects.toThrow('UTF8');
  });
});

describe('the probe', () => {
  it('reports version, schema, role, durability and clock', async () => {
    const store = storeOn(await bench.database());
    await store.open();
    const findings = (await store.probe?.()) ?? [];
    expect(findings.map(({ name, ok }) => [name, ok])).toEqual([
      ['database', true],
      ['database role', true],
      ['database durability', true],
      ['database clock', true],
      ['database failover', true],
    ]);
    expect(findings[0]?.message).toMatch(/^PostgreSQL \d+.*0001-initial, .*pg-0001/);
    await store.close();
  });

  it('finds a session durable whatever the default of its role, and a server without fsync not', async () => {
    const url = await bench.database();
    await asked(url, 'alter role causeway set synchronous_commit = off');
    const store = storeOn(url);
    await store.open();
    const durable = async () => (await store.probe?.())?.find(({ name }) => name === 'database durability')?.ok;
    expect(await durable()).toBe(true);
    await asked(url, 'alter role causeway reset synchronous_commit');
    await asked(url, 'alter system set fsync = off');
    await asked(url, 'select pg_reload_conf()');
    await expect.poll(durable).toBe(false);
    await asked(url, 'alter system reset fsync');
    await asked(url, 'select pg_reload_conf()');
    await store.close();
  });

  it('finds a clock that is off', async () => {
    const url = await bench.database();
    const store = storeOn(url, {}, { clock: { ...clock, now: () => Date.now() - 60_000 } });
    await store.open();
    const finding = (await store.probe?.())?.find(({ name }) => name === 'database clock');
    expect([finding?.ok, finding?.level]).toEqual([false, 'warning']);
    expect(finding?.message).toMatch(/^(59|60)\d{3} ms ahead/);
    await store.close();
  });
});

describe('requests of private chains', () => {
  it('are found only by those who were granted them', async () => {
    const store = storeOn(await bench.database(), {}, { hiddenChains: () => [902] });
    await store.open();
    await store.apply(set(insert('requests', requestRow(1, 901)), insert('requests', requestRow(2, 902))));
    const found = async (hiddenChains: readonly number[]) => {
      const filter = { all: [], hiddenChains };
      const page = await store.search({ filter, sortBy: 'createdAt', direction: 'asc', limit: 9, total: true });
      return [page.rows.map(({ request }) => request.id), page.total];
    };
    expect(await found([])).toEqual([['0x1'], 1]);
    expect(await found([902])).toEqual([['0x1', '0x2'], 2]);
    await store.close();
  });
});
