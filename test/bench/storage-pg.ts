import { performance } from 'node:perf_hooks';
import type { Change, ChangeSet, Store } from '@causeway/core';
import { prepareSet } from '@causeway/core/sql';
import { functions } from '../../plugins/storage-pg/src/sql/functions.js';
import { TIMELINE } from '../../plugins/storage-pg/src/sql/history.js';
import { names } from '../../plugins/storage-pg/src/sql/names.js';
import { encodeSet } from '../../plugins/storage-pg/src/sql/wire.js';
import { PgBench, plainPool, storeOn } from '../../plugins/storage-pg/test/support/pg-harness.js';
import { startPostgres } from '../../plugins/storage-pg/test/support/postgres.js';

/**
 * On a real local PostgreSQL server, next to bare inserts in the same run:
 *
 *     node --import tsx --conditions=@causeway/source test/bench/storage-pg.ts
 */

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3);
const BODY = JSON.stringify({ filler: 'x'.repeat(3_500) });

interface Figures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

async function measure(callers: number, task: (n: number) => Promise<unknown>): Promise<Figures> {
  const times: number[] = [];
  let n = 0;
  const until = performance.now() + SECONDS * 1_000;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < until) {
        n += 1;
        const before = performance.now();
        await task(n);
        times.push(performance.now() - before);
      }
    }),
  );
  const elapsed = performance.now() - started;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { perSecond: Math.round((times.length / elapsed) * 1_000), p50: at(0.5), p99: at(0.99) };
}

let unique = 0;
const id = (kind: string) => {
  unique += 1;
  return `${kind}:${unique}`;
};

const quote = (): Change[] => {
  const name = id('q');
  const at = 1_700_000_000_000;
  const row = {
    id: `0x${name}` as const,
    orderId: `0x${name}o` as const,
    createdAt: at,
    expiresAt: at,
    deadlineAt: at,
    ttlAt: null,
    user: 'u',
    recipient: 'u',
    originChainId: 1,
    destinationChainId: 2,
    network: 'local',
    keyId: null,
    referrer: null,
    parentRequestId: null,
    amountUsd: 1,
    body: BODY,
  };
  return [{ op: 'insert', table: 'quotes', row }];
};

const leg = (name: string) => ({
  id: name,
  version: 1,
  requestId: null,
  fundingKey: null,
  kind: 'fill' as const,
  state: 'owed' as const,
  chainId: 2,
  signer: 's',
  currency: 'c',
  amount: 10n ** 20n,
  covers: 0n,
  recipient: 'r',
  orderId: null,
  deadlineAt: 0,
  key: null,
  reason: null,
  dueAt: 0,
  includedAt: null,
  claimedAt: null,
  work: null,
  spent: 0n,
  releasedBy: null,
  reverts: 0,
  closings: 0,
  joined: null,
  createdAt: 0,
});

/** A settlement: fence, changed row, leg, posting of two lines, bounded reservation, event. */
function settlement(token: number, spread: number): Change[] {
  const name = id('s');
  const pot = unique % spread;
  const line = { groupId: name, requestId: null, legId: null, createdAt: 0 };
  return [
    { op: 'fence', scope: 'lane:bench', token },
    { op: 'insert', table: 'legs', row: leg(name) },
    { op: 'update', table: 'legs', key: { id: name }, version: 1, set: { state: 'bound', key: '1' } },
    {
      op: 'post',
      lines: [
        { ...line, account: `opening:${pot}`, amount: -1n },
        { ...line, account: `inventory:${pot}`, amount: 1n },
      ],
    },
    { op: 'count', account: `#reserved:${pot}`, by: 1n, atMostPot: { account: `inventory:${pot}`, keep: 0n } },
    {
      op: 'insert',
      table: 'events',
      row: { id: name, requestId: `0x${name}`, sequence: 1, kind: 'k', payload: '{}', createdAt: 0 },
    },
  ];
}

function show(name: string, callers: number, { perSecond, p50, p99 }: Figures): void {
  console.log(
    `${name.padEnd(44)} ${String(callers).padStart(3)} callers ${String(perSecond).padStart(6)}/s  p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms`,
  );
}

/**
 * Cost of the check in each change set that the server is still the same: the apply function with and without it,
 * alternating on one connection.
 */
async function lookAtHistory(bare: ReturnType<typeof plainPool>, token: number): Promise<void> {
  const own = names('causeway');
  const looking = functions(own, true);
  const blind = functions(own, false);
  const client = await bare.connect();
  try {
    for (const statement of [...looking.create, ...blind.create]) await client.query(statement);
    const known = [(await client.query(`select ${TIMELINE} as timeline`)).rows[0].timeline, '0/0'];
    const times: Record<'looking' | 'blind', number[]> = { looking: [], blind: [] };
    const once = async (which: 'looking' | 'blind', changes: Change[]) => {
      const { text } = encodeSet(prepareSet({ name: 'bench', changes }));
      const call = which === 'looking' ? looking.calls.apply : blind.calls.apply;
      const before = performance.now();
      await client.query({ name: which, text: call, values: which === 'looking' ? [text, ...known] : [text] });
      times[which].push(performance.now() - before);
    };
    for (const [name, changes] of [
      ['one quote of 3.5 KB', quote],
      ['settlement', () => settlement(token, 1)],
      ['a fence alone', (): Change[] => [{ op: 'fence', scope: 'lane:bench', token }]],
    ] as const) {
      for (const all of Object.values(times)) all.length = 0;
      const until = performance.now() + 2 * SECONDS * 1_000;
      for (let n = 0; performance.now() < until; n += 1) {
        const order = n % 2 === 0 ? (['looking', 'blind'] as const) : (['blind', 'looking'] as const);
        for (const which of order) await once(which, changes());
      }
      const middle = (all: number[]) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
      const [with_, without] = [middle(times.looking), middle(times.blind)];
      console.log(
        `look at the history, ${name.padEnd(20)} ${with_.toFixed(3)} ms with, ${without.toFixed(3)} ms without: ${(with_ / without).toFixed(3)} (${times.blind.length} each)`,
      );
    }
  } finally {
    client.release();
  }
}

async function main(): Promise<void> {
  const bench = await PgBench.start(await startPostgres());
  const url = await bench.database();
  const store: Store = storeOn(url, { pool: { writers: 16, readers: 4 } });
  await store.open();
  const bare = plainPool(url, 16);
  const set = (changes: Change[]): ChangeSet => ({ name: 'bench', changes });
  await bare.query('create table bare (id text primary key, body text not null)');
  const insert = { name: 'bare', text: 'insert into bare (id, body) values ($1, $2)' };
  const [lease] = await store.claimLeases(['lane:bench'], 'bench', 600_000);
  try {
    for (const callers of [1, 8, 32]) {
      const plain = () => bare.query({ ...insert, values: [id('b'), BODY] });
      show('bare insert of 3.5 KB', callers, await measure(callers, plain));
      show('apply: one quote of 3.5 KB', callers, await measure(callers, () => store.apply(set(quote()))));
      const spread = () => store.apply(set(settlement(lease!.token, 64)));
      show('apply: settlement, 64 currencies', callers, await measure(callers, spread));
      const hot = () => store.apply(set(settlement(lease!.token, 1)));
      show('apply: settlement, one currency', callers, await measure(callers, hot));
    }
    await lookAtHistory(bare, lease!.token);
    const reader = () => store.request('0x00');
    show('point read', 8, await measure(8, reader));
    const heartbeat = () => store.claimLeases(['lane:bench', 'lane:2', 'lane:3', 'chain:1', 'service'], 'bench', 3_000);
    show('heartbeat of 5 leases', 1, await measure(1, heartbeat));
  } finally {
    await bare.end();
    await store.close();
    await bench.stop();
  }
}

await main();
