import type { Knex } from 'knex';
import type sqlite3 from 'sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RequestRow } from '../../src/contract/index.js';
import { featureBits } from '../../src/domain/features.js';
import { MIGRATIONS } from '../../src/store/migrations/index.js';
import { encodeRow } from '../../src/store/rows.js';
import { schemaOf } from '../../src/store/schema.js';
import { connectionOf } from '../../src/store/sqlite/connection.js';
import { writerPool } from '../../src/store/sqlite/pools.js';
import { insertRows } from '../../src/store/sqlite/write.js';
import {
  changeSet,
  depositRow,
  fundingKey,
  insert,
  legRow,
  requestId,
  requestRow,
  T0,
} from '../../src/testing/store-fixtures.js';
import { log, type SqliteHarness, sqliteHarness } from './sqlite-harness.js';

let harness: SqliteHarness;
let knex: Knex;

beforeEach(async () => {
  harness = await sqliteHarness();
  knex = writerPool(harness.file, log);
});

afterEach(async () => {
  await knex.destroy();
  await harness.dispose();
});

const terms = {
  inDecimals: 6,
  outDecimals: 6,
  inUsd: '2',
  outUsd: '2',
  relayerGas: '0',
  serviceBps: 0,
  serviceFloor: '0',
};
const bodyOf = (features: readonly string[], app: string, inUsd = '2') =>
  JSON.stringify({ features, fees: { app }, terms: { ...terms, inUsd } });

const listing = MIGRATIONS.find(({ name }) => name === '0003-listing');

async function listed(): Promise<Record<string, unknown>[]> {
  const rows = (await knex.raw('select * from request_listing order by id')) as Record<string, unknown>[];
  return rows.map(({ position: _, ...row }) => row);
}

it('fills the facts of requests that an older program wrote, and lists them', async () => {
  const rows = [
    requestRow(1, {
      body: bodyOf(['app_fees'], '1500000'),
      features: featureBits(['app_fees']),
      appFeesUsd: 3_000_000,
    }),
    requestRow(2, { body: bodyOf([], '0', '0') }),
    requestRow(3, { body: bodyOf(['app_fees'], '7', '0'), features: featureBits(['app_fees']), appFeesUsd: null }),
    requestRow(4, { body: bodyOf([], '0'), originSymbol: 'USDC.e', status: 'success', fillTimeMs: 4_000 }),
  ];
  const deposit = depositRow(4, { seenAt: T0 + 1_000 });
  const fill = legRow(4, { state: 'done', includedAt: T0 + 5_000 });
  const written = changeSet(
    ...rows.map((row) => insert('requests', row)),
    insert('deposits', deposit),
    insert('legs', fill),
  );
  expect(await harness.store.apply(written)).toEqual({ ok: true });
  expect(fill.fundingKey).toBe(fundingKey(4));
  const before = await listed();
  expect(before).toHaveLength(4);

  await harness.store.close();
  await listing?.down(knex);
  expect(await columns('requests')).not.toContain('features');
  await listing?.up(knex);

  expect(await listed()).toEqual(before);
  const store = await harness.reopen();
  const stored = await store.requests(rows.map(({ id }) => id));
  expect([...stored].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(rows);
  const found = await store.search({
    filter: { all: [{ kind: 'is', field: 'originSymbol', values: ['usdc.e'] }], hiddenChains: [] },
    sortBy: 'createdAt',
    direction: 'desc',
    limit: 9,
    total: false,
  });
  expect(found.rows.map(({ request }) => request.id)).toEqual([requestId(4)]);
});

it('keeps the listing whatever writes a request, row by row or many at once', async () => {
  const database = (await knex.client.acquireConnection()) as sqlite3.Database;
  const connection = connectionOf(database);
  const schema = schemaOf('requests');
  const rows: RequestRow[] = [1, 2, 3].map((n) => requestRow(n, { originSymbol: `S${n}` }));
  await insertRows(
    connection,
    schema,
    rows.map((row) => encodeRow(schema, row)),
  );
  await connection.run(
    `update requests set status = 'failure', fail_reason = 'SLIPPAGE', updated_at = ? where id <> ?`,
    [T0 + 99, requestId(1)],
  );
  await connection.run(`update requests set sender = 's', depositor = 'd', deposit_address = 'a', features = 3`);
  await connection.run(`update requests set refund_fail_reason = 'MANUAL_REFUND_REQUIRED', fill_time_ms = 1`);
  const both = await connection.all(
    `select count(*) as n from requests q join request_listing r on r.id = q.id and r.status = q.status
       and r.updated_at = q.updated_at and r.fail_reason is q.fail_reason and r.sender is q.sender
       and r.depositor is q.depositor and r.deposit_address is q.deposit_address and r.features = q.features
       and r.refund_fail_reason is q.refund_fail_reason and r.fill_time_ms is q.fill_time_ms
       and r.origin_symbol = lower(q.origin_symbol)`,
  );
  expect(both).toEqual([{ n: 3 }]);
  await knex.client.releaseConnection(database);
});

async function columns(table: string): Promise<string[]> {
  return ((await knex.raw(`pragma table_info("${table}")`)) as { name: string }[]).map(({ name }) => name);
}
