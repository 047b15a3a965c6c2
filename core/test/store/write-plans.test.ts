import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Change } from '../../src/contract/store.js';
import { type Connection, connectionOf } from '../../src/store/sqlite/connection.js';
import { claimLeases, freeLeases, releaseLeases } from '../../src/store/sqlite/leases.js';
import { closeDatabase, openDatabase } from '../../src/store/sqlite/open.js';
import { prune } from '../../src/store/sqlite/prune.js';
import { REFUSING_TABLES } from '../../src/store/sqlite/write.js';
import { Writer } from '../../src/store/sqlite/writer.js';
import * as rows from '../../src/testing/store-fixtures.js';
import { type All, type Asked, growing, linesOf, millionRows } from './plans.js';
import { clock, log, metrics, type SqliteHarness, sqliteHarness } from './sqlite-harness.js';

/** `OPEN_READWRITE` of the driver. */
const READ_WRITE = 2;
const DAY = 86_400_000;
const MILLION = 1_000_000;
/** Pending work's deadline passed over a month ago. */
const NOW = rows.T0 + 100 * DAY;

let harness: SqliteHarness;
let database: Awaited<ReturnType<typeof openDatabase>>;
let plain: Connection;
let all: All;
let asked: Asked[] = [];
let writer: Writer;

async function open(): Promise<void> {
  database = await openDatabase(harness.file, READ_WRITE);
  plain = connectionOf(database);
  all = (sql, bindings) => plain.all(sql, bindings as string[]);
  const record = (sql: string, bindings: readonly unknown[]) => {
    if (!/^(begin|commit|rollback)/.test(sql)) asked.push({ sql, bindings });
  };
  const connection: Connection = {
    run: (sql, cells = []) => {
      record(sql, cells);
      return plain.run(sql, cells);
    },
    all: (sql, cells = []) => {
      record(sql, cells);
      return plain.all(sql, cells);
    },
    script: (statements) => {
      for (const sql of statements) if (!/temp\."(updated|overtaken)"/.test(sql)) record(sql, []);
      return plain.script(statements);
    },
  };
  for (const table of REFUSING_TABLES) await plain.run(table);
  writer = new Writer({ connection, clock, log, metrics });
}

beforeAll(async () => {
  harness = await sqliteHarness();
  await harness.store.close();
  await open();
  await plain.run('pragma synchronous = off');
});

afterAll(async () => {
  await writer.close();
  await closeDatabase(database);
  await harness.reopen();
  await harness.dispose();
});

async function plansOf(task: () => Promise<unknown>): Promise<string[]> {
  asked = [];
  await task();
  const lines = await linesOf(all, asked);
  expect(lines.length).toBeGreaterThan(0);
  return lines;
}

const apply = async (...changes: Change[]) =>
  expect(await writer.apply(rows.changeSet(...changes))).toEqual({ ok: true });

let n = 0;
const next = () => {
  n += 1;
  return n;
};

const WRITES: Readonly<Record<string, () => Promise<unknown>>> = {
  'a quote among other changes': () =>
    apply(rows.insert('quotes', rows.quoteRow(next(), { keyId: 'k' })), rows.insert('meta', rows.metaRow(n))),
  'a settlement': async () => {
    const i = next();
    await apply(
      rows.insert('requests', rows.requestRow(i)),
      rows.insert('deposits', rows.depositRow(i)),
      rows.insert('legs', rows.legRow(i)),
      rows.insert('keys', rows.keyRow(i)),
      rows.insert('attempts', rows.attemptRow(i, { keyId: rows.keyRow(i).id })),
      rows.insert('attemptLegs', rows.attemptLegRow(i, { attemptId: rows.attemptRow(i).id, legId: rows.legRow(i).id })),
      rows.insert('events', rows.eventRow(i)),
      rows.insert('transactions', rows.transactionRow(i)),
      rows.insert('holds', rows.holdRow(i)),
      rows.insert('hints', rows.hintRow(i)),
      { ...rows.insert('clientMetadata', rows.clientMetadataRow(i)), ifAbsent: true } as Change,
      rows.insert('lanes', rows.laneRow(i)),
      rows.insert('cursors', rows.cursorRow(i)),
      rows.insert('apiKeys', rows.apiKeyRow(i)),
      rows.insert('integrators', rows.integratorRow(i)),
      rows.insert('pauses', rows.pauseRow(i)),
      rows.insert('meta', rows.metaRow(i)),
      rows.move(`group ${i}`, `a:${i}`, `b:${i}`, 5n),
      { op: 'count', account: `#c:${i}`, by: 1n, atMostPot: { account: `b:${i}`, keep: 0n } },
    );
  },
  'changes of all that changes': async () => {
    const at = { version: 1 } as const;
    const key = { id: rows.requestId(n) };
    await apply(
      { op: 'update', table: 'requests', key, ...at, set: { status: 'success', updatedAt: NOW, failReason: null } },
      { op: 'update', table: 'deposits', key: { fundingKey: rows.fundingKey(n) }, ...at, set: { state: 'final' } },
      { op: 'update', table: 'legs', key: { id: rows.legRow(n).id }, ...at, set: { state: 'done' } },
      { op: 'update', table: 'keys', key: { id: rows.keyRow(n).id }, ...at, set: { attemptCount: 2 } },
      { op: 'update', table: 'attempts', key: { id: rows.attemptRow(n).id }, ...at, set: { sentAt: 1 } },
      { op: 'update', table: 'transactions', key: { id: rows.transactionRow(n).id }, ...at, set: { entry: '{}' } },
      { op: 'update', table: 'holds', key: { id: rows.holdRow(n).id }, ...at, set: { state: 'released' } },
      { op: 'require', table: 'lanes', key: { id: rows.laneRow(n).id }, version: 1 },
    );
  },
  'leases claimed, held and given up': async () => {
    const held = await claimLeases(writer, () => clock.monotonic(), ['service', 'lane:1'], 'me', 3_000);
    await apply(
      { op: 'fence', scope: 'service', token: held[0]?.token ?? 0 },
      rows.insert('meta', rows.metaRow(next())),
    );
    await releaseLeases(writer, held, 'me');
    await writer.alone(async (connection) => void (await freeLeases(connection)));
  },
  'the cleaning, with something to do': async () => {
    const [gone, kept] = [next(), next()];
    await apply(
      rows.insert('quotes', rows.quoteRow(gone)),
      rows.insert('quotes', rows.quoteRow(kept, { keyId: 'k' })),
      rows.insert('requests', rows.requestRow(kept)),
      rows.insert('deliveries', rows.deliveryRow(gone, { state: 'delivered', updatedAt: 0 })),
      rows.insert('idempotencyKeys', rows.idempotencyKeyRow(gone)),
    );
    expect(await prune(writer, clock, NOW)).toBeGreaterThan(0);
  },
};

describe.each(['without statistics', 'with statistics of a million rows'])('every write, %s', (when) => {
  beforeAll(async () => {
    if (when === 'without statistics') return;
    await millionRows(all);
    // Statistics are loaded per connection.
    await closeDatabase(database);
    await open();
  });

  it.each(Object.keys(WRITES))('%s finds its rows by an index', async (name) => {
    expect(await growing(all, await plansOf(WRITES[name] as () => Promise<unknown>))).toEqual([]);
  });

  it('the cleaning walks along what is due, in its order', async () => {
    const lines = await plansOf(WRITES['the cleaning, with something to do'] as () => Promise<unknown>);
    expect(lines.filter((line) => line.includes('USE TEMP B-TREE'))).toEqual([]);
    for (const index of ['quotes_unpaid_anonymous', 'quotes_unpaid_keyed']) {
      expect(
        lines.some((line) => line.includes(`SEARCH q USING INDEX ${index} (deadline_at<?)`)),
        lines.join('\n'),
      ).toBe(true);
    }
    expect(lines.some((line) => line.includes('INDEX deliveries_over (updated_at<?)'))).toBe(true);
  });
});

describe('among a million quotes', () => {
  beforeAll(async () => {
    const made = (text: string) => `'0x' || printf('${text}%062x', s.n)`;
    await plain.run(
      `with recursive s (n) as (select 1 union all select n + 1 from s where n < ?)
       insert into quotes (id, order_id, created_at, expires_at, deadline_at, "user", recipient, origin_chain_id,
         destination_chain_id, network, body, paid)
       select ${made('c0')}, ${made('c1')}, 0, 0, iif(s.n % 2 = 0, 0, ?), 'u', 'u', 901, 902, 'local', '{}', iif(s.n % 2 = 0, 1, null) from s`,
      [MILLION, NOW],
    );
  }, 120_000);

  it('half of them paid long ago and half not yet due, the cleaning takes no longer than among none', async () => {
    await prune(writer, clock, NOW);
    const fastest = async (task: () => Promise<unknown>) => {
      let least = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 10; round += 1) {
        const started = performance.now();
        await task();
        least = Math.min(least, performance.now() - started);
      }
      return least;
    };
    // Three looks into an index take less than one scan of all quotes.
    const round = await fastest(() => prune(writer, clock, NOW));
    const scan = await fastest(() => plain.all('select count(*) from quotes where created_at < 0'));
    expect(round).toBeLessThan(Math.max(10, scan));
  });

  it('it meets one that was paid once, and never again', async () => {
    const paid = next();
    await apply(rows.insert('quotes', rows.quoteRow(paid)), rows.insert('requests', rows.requestRow(paid)));
    const due = 'select id from quotes where paid is null and key_id is null and deadline_at < ? order by deadline_at';
    expect(await plain.all(due, [NOW - 30 * DAY])).toEqual([{ id: rows.requestId(paid) }]);
    expect(await prune(writer, clock, NOW)).toBe(0);
    expect(await plain.all(due, [NOW - 30 * DAY])).toEqual([]);
    expect(await plain.all('select id from quotes where id = ?', [rows.requestId(paid)])).toHaveLength(1);
  });
});
