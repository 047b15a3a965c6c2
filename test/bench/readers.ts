import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { statusEvent } from '../../core/src/events/status-event.js';
import { sqliteStore } from '../../core/src/store/index.js';
import { apiKeyRow, insert, requestId, requestRow } from '../../core/src/testing/store-fixtures.js';
import { benchServer } from './ledger/child.js';
import { CLOCK, LOG, METRICS } from './ledger/quiet.js';
import type { FromReaders, OfKey, ReadersPlan } from './readers-client.js';
import type { Bench, Figure } from './report.js';

const KEYS = 1_000;
const OF_EACH_KIND = Number(process.env['BENCH_READERS'] ?? 10_000) / KEYS / 2;
const READERS = KEYS * OF_EACH_KIND * 2;
const MISSED = 20_000;
const MISSED_OF_KEY = MISSED / KEYS;
const LIVE = { perSecond: 100, seconds: 20 } as const;
const GOAL_S = 30;
const BATCH = 500;
const SPARE_FILES = 200;

const keyOf = (n: number) => `bench-reader-${n}-0123456789abcdef`;

/** All clients reconnect at once and receive the events that they missed while the service was down. */
export const readersBench: Bench = {
  name: 'readers',
  about: `${READERS} sockets and event streams come back at once to a process that was just started; ${MISSED} events were missed, and they go on`,
  async run() {
    const files = Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }));
    if (files < READERS + SPARE_FILES)
      throw new Error(`raise the limit of open files: ulimit -n ${READERS + SPARE_FILES}`);
    const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
    try {
      const file = join(folder, 'causeway.db');
      await missedEvents(file);
      const nothing = await measured(file, { after: MISSED, events: 0 }, false);
      const all = await measured(file, { after: 0, events: MISSED_OF_KEY }, true);
      return figures(nothing, all);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function missedEvents(file: string): Promise<void> {
  const store = sqliteStore({ file, clock: CLOCK, log: LOG, metrics: METRICS });
  await store.open();
  const rows = Array.from({ length: KEYS }, (_, n) =>
    requestRow(n, { keyId: `reader-${n}`, eventCount: MISSED_OF_KEY, body: '{}' }),
  );
  const keys = rows.map((_, n) => {
    const hash = createHash('sha256').update(keyOf(n)).digest('hex');
    return insert('apiKeys', apiKeyRow(n, { id: `reader-${n}`, hash, integratorId: `reader-${n}`, scopes: '["*"]' }));
  });
  const requests = rows.map((row) => insert('requests', row));
  const events = Array.from({ length: MISSED }, (_, n) => {
    const row = rows[n % KEYS];
    if (row === undefined) throw new Error('no request');
    return insert('events', statusEvent(row, [], Math.floor(n / KEYS) + 1, Date.now()));
  });
  const changes = [...keys, ...requests, ...events];
  for (let at = 0; at < changes.length; at += BATCH) {
    const outcome = await store.apply({ name: 'bench.readers', changes: changes.slice(at, at + BATCH) });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  }
  await store.close();
}

interface Measured {
  readonly seconds: number;
  readonly opened: number;
  readonly reported: Extract<FromReaders, { type: 'event received' }>;
  readonly live: number;
  readonly bytes: number;
}

async function measured(file: string, how: Pick<ReadersPlan, 'after' | 'events'>, goesOn: boolean): Promise<Measured> {
  const server = await benchServer({ file, websockets: READERS + 100 });
  const script = fileURLToPath(new URL('./readers-client.ts', import.meta.url));
  const client = spawn(process.execPath, ['--import', 'tsx', script], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    const ids = Array.from({ length: KEYS }, (_, n) => requestId(n));
    const keys = ids.map((_, n) => keyOf(n));
    const changed = goesOn ? server.ask({ type: 'change', ids, ...LIVE }, 'changed') : undefined;
    const caughtUp = said(client, 'caughtUp');
    client.send({ port: server.port, keys, ofEachKind: OF_EACH_KIND, ...how } satisfies ReadersPlan);
    const { seconds, opened } = await caughtUp;
    const live = (await changed)?.commits.length ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const reported = said(client, 'event received');
    client.send('report');
    const { bytes } = await server.ask({ type: 'rss' }, 'rss');
    return { seconds, opened, live, bytes, reported: await reported };
  } finally {
    client.kill('SIGKILL');
    await server.close();
  }
}

async function said<T extends FromReaders['type']>(child: ChildProcess, type: T) {
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the client ended with ${code}`))),
  ])) as [FromReaders];
  if (message.type !== type) throw new Error(`the client said ${message.type} instead of ${type}`);
  return message as Extract<FromReaders, { type: T }>;
}

function figures(nothing: Measured, all: Measured): Figure[] {
  const { keys, wrong, gaps, closed } = all.reported;
  const due = (n: number) => MISSED_OF_KEY + Math.floor(all.live / KEYS) + (n < all.live % KEYS ? 1 : 0);
  const whole = ({ least, most }: OfKey, n: number) => least === due(n) && most === due(n);
  const short = keys.filter((one, n) => !whole(one, n)).length;
  const sum = keys.reduce((total, _, n) => total + due(n) * OF_EACH_KIND * 2, 0);
  return [
    { name: 'opened, with nothing missed (baseline)', value: `${READERS} in ${nothing.opened.toFixed(1)} s` },
    {
      name: 'all caught up',
      value: `${READERS} in ${all.seconds.toFixed(1)} s, open after ${all.opened.toFixed(1)} s`,
      goal: `<= ${GOAL_S} s`,
      ok: all.seconds <= GOAL_S,
    },
    {
      name: 'event received',
      value: `${sum} events; ${short} keys whose readers were told too few or too many, ${wrong} events again or late, ${gaps} gaps, ${closed} closed`,
      goal: 'each once and in order',
      ok: short === 0 && wrong === 0 && gaps === 0 && closed === 0,
    },
    { name: 'meanwhile', value: `${all.live} events` },
    { name: 'memory after', value: `${(all.bytes / READERS / 1_024).toFixed(1)} KB a reader, all of the process` },
  ];
}
