import { payer } from '../crowd.js';
import { type Bench, type Figure, ms } from '../report.js';
import { makeHistory } from './history.js';
import { liveTraffic, type Seen, settle } from './live.js';
import { pgPlace } from './pg-ledger.js';
import type { Place } from './place.js';
import { sqlitePlace } from './sqlite-ledger.js';

const size = (name: string, standard: number) => Number(process.env[`BENCH_${name}`] ?? standard);
const GOAL = 1.5;
/** Smaller differences are noise of the machine. */
const NOISE_MS = 5;
const TOMBSTONE_BYTES = 1_024;

export const YEARS_BENCHES: readonly Bench[] = [
  bench('years', 'a service on the ledger of a year, next to the same on one that is nearly empty', sqlitePlace),
  bench('years-pg', 'the same on PostgreSQL', pgPlace),
];

function bench(name: string, about: string, place: Place): Bench {
  return { name, about, run: () => run(place) };
}

async function run(place: Place): Promise<readonly Figure[]> {
  const sizes = { quotes: size('QUOTES', 3_000_000), requests: size('REQUESTS', 1_000_000) };
  const seconds = size('SECONDS', 90);
  const { opened, work, bytes, log, close } = await place.open({ quoteValidityMs: 600_000, orderTtl: '600s' });
  const { world } = opened;
  try {
    const user = await payer(world.a);
    await liveTraffic(opened, user, 5);
    const empty = await liveTraffic(opened, user, seconds);
    await settle(world, 5);
    await world.service.stop();
    const emptyStart = await timed(() => world.boot());
    await world.service.stop();
    let made: Awaited<ReturnType<typeof makeHistory>> | undefined;
    const making = await timed(async () => {
      made = await work((ledger) => makeHistory(ledger, sizes));
    });
    const fullStart = await timed(() => world.boot());
    await liveTraffic(opened, user, 5);
    const full = await liveTraffic(opened, user, seconds);
    const wal = await log();
    await world.service.kill();
    const recovery = await timed(() => world.boot());
    if (!made) throw new Error('no history was made');
    return [
      reported(
        'ledger',
        `${sizes.quotes} quotes, ${sizes.requests} requests, ${mb(await bytes())}, made in ${ms(making)}`,
      ),
      ...compared(empty, full),
      extra('start', emptyStart, fullStart),
      extra('start after kill -9', emptyStart, recovery),
      reported('memory', `${full.rssMb.toFixed(0)} MB, empty ${empty.rssMb.toFixed(0)} MB`),
      reported('write-ahead log under load', mb(wal)),
      reported('a request with all that belongs to it', `${made.request.toFixed(0)} bytes`),
      reported('an unpaid quote', `${made.quote.toFixed(0)} bytes`),
      {
        name: 'an unpaid quote that has run out',
        value: `${made.tombstone.toFixed(0)} bytes`,
        goal: `<= ${TOMBSTONE_BYTES}`,
        ok: made.tombstone <= TOMBSTONE_BYTES,
      },
      none('quotes refused', empty.quote.refused + full.quote.refused),
      none('deposits without a fill', empty.fill.missing + full.fill.missing),
    ];
  } finally {
    await close();
  }
}

function compared(empty: Seen, full: Seen): Figure[] {
  const rounds = [...full.rounds].map(([worker, took]) => {
    const before = empty.rounds.get(worker);
    return before === undefined ? reported(`round: ${worker}`, ms(took)) : extra(`round: ${worker}`, before, took);
  });
  return [
    extra('quote, p50', empty.quote.p50, full.quote.p50),
    extra('quote, p99', empty.quote.p99, full.quote.p99),
    reported('quote, longest', `${ms(full.quote.max)}, empty ${ms(empty.quote.max)}`),
    extra('deposit sent -> fill sent, p50', empty.fill.p50, full.fill.p50),
    extra('deposit sent -> fill sent, p99', empty.fill.p99, full.fill.p99),
    ...rounds,
  ];
}

function extra(name: string, empty: number, full: number): Figure {
  const ratio = full / empty;
  const ok = ratio <= GOAL || full - empty <= NOISE_MS;
  return { name, value: `${ms(full)}, empty ${ms(empty)}: ${ratio.toFixed(2)} x`, goal: `<= ${GOAL} x`, ok };
}

function reported(name: string, value: string): Figure {
  return { name, value };
}

function none(name: string, count: number): Figure {
  return { name, value: String(count), goal: '0', ok: count === 0 };
}

function mb(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}

async function timed(task: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await task();
  return performance.now() - from;
}
