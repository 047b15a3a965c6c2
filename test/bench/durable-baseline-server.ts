import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import { serveBareQuotes } from './bare-quotes.js';

/**
 * `durable-baseline-server.ts FOLDER`: the least that a durable quote costs with these packages, without any quoting. Each
 * answer serializes `answer.json` of the folder, after a row with both keys of a quote was committed there with the pragmas of
 * the store, in groups as the store's writer makes them.
 */
const [folder = '.'] = process.argv.slice(2);
/** Measured: the body of a plain quote between EVM chains. */
const ROW_BYTES = 2_163;
const MAX_GROUP = 500;
const GATHERING_TURNS = 24;

interface Waiting {
  readonly cells: readonly string[];
  readonly done: () => void;
}

const database = new sqlite3.Database(join(folder, 'quotes.sqlite'));
await new Promise<void>((resolve, reject) => {
  const script =
    'pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -65536; pragma wal_autocheckpoint = 4000; ' +
    'create table quotes (id text primary key, order_id text, body text); create unique index by_order on quotes (order_id)';
  database.exec(script, (error) => (error ? reject(error) : resolve()));
});

const text = readFileSync(join(folder, 'answer.json'), 'utf8');
const answer = JSON.parse(text) as object;
const body = text.padEnd(ROW_BYTES).slice(0, ROW_BYTES);
let queue: Waiting[] = [];
let isWriting = false;

function stored(): Promise<void> {
  return new Promise((done) => {
    const id = Date.now().toString(16).padStart(12, '0') + randomUUID();
    queue.push({ cells: [id, createHash('sha256').update(id).digest('hex'), body], done });
    if (!isWriting) void write();
  });
}

async function write(): Promise<void> {
  isWriting = true;
  while (queue.length > 0) {
    for (let turn = 0, size = 0; turn < GATHERING_TURNS && size < queue.length; turn += 1) {
      size = queue.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const group = queue.slice(0, MAX_GROUP);
    queue = queue.slice(MAX_GROUP);
    await insert(group);
    for (const { done } of group) done();
  }
  isWriting = false;
}

function insert(group: readonly Waiting[]): Promise<void> {
  const sql = `insert into quotes values ${group.map(() => '(?,?,?)').join(',')}`;
  const cells = group.flatMap((waiting) => waiting.cells);
  return new Promise((resolve, reject) => {
    database.run(sql, cells, (error) => (error ? reject(error) : resolve()));
  });
}

serveBareQuotes(async () => {
  await stored();
  return answer;
});
