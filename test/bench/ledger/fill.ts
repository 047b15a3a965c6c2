import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import type { ApiKeyRow, Change } from '@causeway/core';
import { sqliteStore } from '../../../core/src/store/index.js';
import { type Cell, encodeRow } from '../../../core/src/store/rows.js';
import { schemaOf } from '../../../core/src/store/schema.js';
import { type Connection, connectionOf } from '../../../core/src/store/sqlite/connection.js';
import { closeDatabase, openDatabase } from '../../../core/src/store/sqlite/open.js';
import { insertRows } from '../../../core/src/store/sqlite/write.js';
import { ROOT } from '../../support/repository.js';
import { CLOCK, LOG, METRICS } from './quiet.js';
import { LEDGER_END, ledgerRows } from './rows.js';
import { INTEGRATORS } from './shape.js';

const FOLDER = process.env['BENCH_FOLDER'] ?? `${ROOT}.causeway/bench`;
const VERSION = 2;
const BATCH = 500;
const READ_WRITE = 2;
const INTEGRATOR_ID = 'bench';

/**
 * Generated when missing and cached in `.causeway/bench`: a million requests take minutes. Renamed only when
 * complete, so that an interrupted one is never used.
 */
export async function ledger(requests: number): Promise<string> {
  const file = `${FOLDER}/ledger-v${VERSION}-${requests}.db`;
  if (existsSync(file)) return file;
  mkdirSync(FOLDER, { recursive: true });
  const draft = `${file}.draft`;
  for (const end of ['', '-wal', '-shm', '.lock']) rmSync(`${draft}${end}`, { force: true });
  const started = performance.now();
  const store = sqliteStore({ file: draft, clock: CLOCK, log: LOG, metrics: METRICS });
  await store.open();
  await store.apply({ name: 'bench.keys', changes: INTEGRATORS.map(({ keyId }) => apiKey(keyId)) });
  await store.close();
  const database = await openDatabase(draft, READ_WRITE);
  try {
    await fill(connectionOf(database), requests);
  } finally {
    await closeDatabase(database);
  }
  for (const end of ['-wal', '-shm', '.lock']) rmSync(`${draft}${end}`, { force: true });
  renameSync(draft, file);
  process.stdout.write(`  made ${file} in ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
  return file;
}

function apiKey(id: string): Change {
  const row: ApiKeyRow = {
    id,
    version: 1,
    name: id,
    prefix: id.slice(0, 4),
    hash: `hash of ${id}`,
    integratorId: INTEGRATOR_ID,
    scopes: '["*"]',
    tier: 'default',
    privateChains: '[]',
    createdAt: LEDGER_END,
    expiresAt: null,
    replacedBy: null,
    revokedAt: null,
  };
  return { op: 'insert', table: 'apiKeys', row };
}

/** Indexes are dropped meanwhile: sorting at the end takes seconds, unordered row-by-row inserts take minutes. */
async function fill(connection: Connection, requests: number): Promise<void> {
  for (const pragma of ['journal_mode = off', 'synchronous = off', 'cache_size = -2000000', 'temp_store = memory']) {
    await connection.all(`pragma ${pragma}`);
  }
  const indexes = await connection.all(
    `select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name in
      ('request_listing', 'requests', 'transactions', 'deposits', 'legs')`,
  );
  await connection.run('begin');
  for (const { name } of indexes) await connection.run(`drop index "${name}"`);
  for (let from = 0; from < requests; from += BATCH)
    await insert(connection, from, Math.min(requests, from + BATCH), requests);
  for (const { sql } of indexes) await connection.run(String(sql));
  await connection.run('commit');
  await connection.run('analyze');
}

async function insert(connection: Connection, from: number, to: number, total: number): Promise<void> {
  const cells = {
    requests: [] as Cell[][],
    deposits: [] as Cell[][],
    legs: [] as Cell[][],
    transactions: [] as Cell[][],
  };
  for (let n = from; n < to; n += 1) {
    const { request, deposit, leg, transactions } = ledgerRows(n, total);
    cells.requests.push(encodeRow(schemaOf('requests'), request));
    cells.deposits.push(encodeRow(schemaOf('deposits'), deposit));
    cells.legs.push(encodeRow(schemaOf('legs'), leg));
    for (const row of transactions) cells.transactions.push(encodeRow(schemaOf('transactions'), row));
  }
  for (const table of ['requests', 'deposits', 'legs', 'transactions'] as const) {
    await insertRows(connection, schemaOf(table), cells[table]);
  }
}
