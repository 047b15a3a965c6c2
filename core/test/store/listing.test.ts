import type { Knex } from 'knex';
import type sqlite3 from 'sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RequestRow } from '../../src/contract/index.js';
import { encodeRow } from '../../src/store/rows.js';
import { schemaOf } from '../../src/store/schema.js';
import { connectionOf } from '../../src/store/sqlite/connection.js';
import { writerPool } from '../../src/store/sqlite/pools.js';
import { insertRows } from '../../src/store/sqlite/write.js';
import { changeSet, insert, requestId, requestRow, T0 } from '../../src/testing/store-fixtures.js';
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

it('finds a symbol whatever its case', async () => {
  const rows = [requestRow(1, { originSymbol: 'USDC.e' }), requestRow(2, { originSymbol: 'USDC' })];
  await harness.store.apply(changeSet(...rows.map((row) => insert('requests', row))));
  const found = await harness.store.search({
    filter: { all: [{ kind: 'is', field: 'originSymbol', values: ['usdc.e'] }], hiddenChains: [] },
    sortBy: 'createdAt',
    direction: 'desc',
    limit: 9,
    total: false,
  });
  expect(found.rows.map(({ request }) => request.id)).toEqual([requestId(1)]);
});
