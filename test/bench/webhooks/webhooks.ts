import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuMs, pinServer, unpinServer } from '../pinned.js';
import { type Bench, type Figure, ms, percentile } from '../report.js';
import type { Report } from './messages.js';
import { Receiver, Sender } from './processes.js';

const PER_SECOND = 1_000;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 10);
const BACKLOG = Number(process.env['BENCH_EVENTS'] ?? 100_000);
const BARE_POSTS = 20_000;
const PEAK_EVENTS = 20_000;
const ENDPOINTS = 1_000;
const PROFILE = process.env['BENCH_PROFILE'];
const GOALS = { share: 0.5, restMs: 20, hanging: 2, memory: 1.25 } as const;

export const webhooksBench: Bench = {
  name: 'webhooks',
  about: `signed deliveries to a local receiver: ${PER_SECOND} a second, a backlog of ${BACKLOG}, when idle, ${ENDPOINTS} endpoints`,
  async run() {
    const figures: Figure[] = [];
    for (const measure of [sustained, backlog, whenIdle, hanging]) figures.push(...(await measure()));
    return figures;
  },
};

interface Setting {
  readonly receiver: Receiver;
  readonly sender: Sender;
}

async function within<T>(paths: readonly string[], measure: (setting: Setting) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
  const receiver = await Receiver.start();
  let sender: Sender | undefined;
  try {
    const urls = paths.map((path) => receiver.url(path));
    sender = await Sender.start({ file: join(folder, 'causeway.db'), urls });
    await sender.ask({ type: 'start' }, 'started');
    const measured = await measure({ receiver, sender });
    await sender.ask({ type: 'stop' }, 'stopped');
    return measured;
  } finally {
    await sender?.end();
    await receiver.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

function delays(commits: readonly (readonly [string, number])[], { times }: Report): number[] {
  const committed = new Map(commits);
  return times.flatMap(([id, at]) => {
    const from = committed.get(id);
    return from === undefined ? [] : [at - from];
  });
}

interface Pace {
  readonly rate: number;
  readonly us: number;
}

async function bare({ receiver, sender }: Setting): Promise<Pace> {
  const cpu = cpuMs(sender.pid);
  const { seconds } = await sender.ask({ type: 'bare', url: receiver.url('bare'), posts: BARE_POSTS }, 'posted');
  return { rate: BARE_POSTS / seconds, us: ((cpuMs(sender.pid) - cpu) / BARE_POSTS) * 1_000 };
}

function rateOf(commits: readonly (readonly [string, number])[], { times }: Report): number {
  const [first = 0, last = 0] = [commits[0]?.[1], times.at(-1)?.[1]];
  return times.length / ((last - first) / 1_000);
}

async function peak({ receiver, sender }: Setting): Promise<Pace> {
  await receiver.ask({ type: 'forget' }, 'forgot');
  const cpu = cpuMs(sender.pid);
  if (PROFILE) await sender.ask({ type: 'profile', folder: PROFILE }, 'profiling');
  const { commits } = await sender.ask({ type: 'happen', events: PEAK_EVENTS, requests: 5_000 }, 'happened');
  await sender.ask({ type: 'drain' }, 'drained');
  if (PROFILE) await sender.ask({ type: 'profile-end' }, 'profiled');
  const us = ((cpuMs(sender.pid) - cpu) / PEAK_EVENTS) * 1_000;
  return { rate: rateOf(commits, await receiver.report()), us };
}

async function sustained(): Promise<readonly Figure[]> {
  return within(['one'], async ({ receiver, sender }) => {
    const pinned = pinServer(sender.pid);
    await bare({ receiver, sender });
    const before = await bare({ receiver, sender });
    const events = PER_SECOND * SECONDS;
    await sender.ask({ type: 'happen', events: 2_000, requests: 500, perSecond: PER_SECOND }, 'happened');
    await sender.ask({ type: 'drain' }, 'drained');
    await receiver.ask({ type: 'forget' }, 'forgot');
    const cpu = cpuMs(sender.pid);
    const { commits } = await sender.ask({ type: 'happen', events, requests: 500, perSecond: PER_SECOND }, 'happened');
    await sender.ask({ type: 'drain' }, 'drained');
    const used = cpuMs(sender.pid) - cpu;
    const report = await receiver.report();
    const took = delays(commits, report);
    const rate = rateOf(commits, report);
    const most = await peak({ receiver, sender });
    const after = await bare({ receiver, sender });
    const posts = { rate: (before.rate + after.rate) / 2, us: (before.us + after.us) / 2 };
    unpinServer(sender.pid);
    return [
      { name: 'one core', value: pinned ? 'yes' : 'no (taskset is missing): ratios are only indicative' },
      { name: 'bare posts by undici, 8 connections', value: `${posts.rate.toFixed(0)} a second` },
      {
        name: `${PER_SECOND} events a second for ${SECONDS} s, each a commit`,
        value: `${rate.toFixed(0)} deliveries a second, commit to arrival p50 ${ms(percentile(took, 0.5))}, p99 ${ms(percentile(took, 0.99))}, ${((used / events) * 1_000).toFixed(0)} us of processor time each`,
        goal: `>= ${0.95 * PER_SECOND} a second`,
        ok: rate >= 0.95 * PER_SECOND,
      },
      ...exact('arrived of those', events, report),
      {
        name: 'as fast as it goes / bare posts',
        value: `${most.rate.toFixed(0)} a second, ${(most.rate / posts.rate).toFixed(3)}`,
        ratio: most.rate / posts.rate,
        goal: `>= ${GOALS.share}`,
        ok: most.rate / posts.rate >= GOALS.share,
      },
      {
        name: 'processor time of a bare post / of a delivery, its event included',
        value: `${posts.us.toFixed(0)} / ${most.us.toFixed(0)} us, ${(posts.us / most.us).toFixed(3)}`,
      },
    ];
  });
}

function exact(name: string, expected: number, { events, arrivals, disordered, badSignatures }: Report): Figure[] {
  return [
    {
      name,
      value: `${events}, ${arrivals - events} again, ${disordered} out of order, ${badSignatures} badly signed`,
      goal: `${expected}, 0 out of order`,
      ok: events === expected && disordered === 0 && badSignatures === 0,
    },
  ];
}

async function backlog(): Promise<readonly Figure[]> {
  return within(['one'], async ({ receiver, sender }) => {
    await sender.ask({ type: 'happen', events: 2_000, requests: 500 }, 'happened');
    await sender.ask({ type: 'drain' }, 'drained');
    await receiver.ask({ type: 'forget' }, 'forgot');
    await sender.ask({ type: 'happen', events: BACKLOG, requests: BACKLOG / 10 }, 'happened');
    const { seconds, rss } = await sender.ask({ type: 'drain' }, 'drained');
    const report = await receiver.report();
    const early = Math.max(...rss.slice(0, Math.max(1, Math.floor(rss.length / 4))));
    const late = Math.max(...rss.slice(Math.floor(rss.length / 2)));
    return [
      { name: `backlog of ${BACKLOG}`, value: `${seconds.toFixed(1)} s, ${(BACKLOG / seconds).toFixed(0)} a second` },
      ...exact('arrived of it', BACKLOG, report),
      {
        name: 'memory, most of the second half / most of the first quarter',
        value: `${late.toFixed(0)} / ${early.toFixed(0)} MB`,
        goal: `<= ${GOALS.memory}`,
        ok: late / early <= GOALS.memory,
      },
    ];
  });
}

async function whenIdle(): Promise<readonly Figure[]> {
  return within(['one'], async ({ receiver, sender }) => {
    const { commits } = await sender.ask({ type: 'happen', events: 100, requests: 100, perSecond: 8 }, 'happened');
    await sender.ask({ type: 'drain' }, 'drained');
    const took = delays(commits, await receiver.report());
    return [
      {
        name: 'when idle, commit to arrival',
        value: `p50 ${ms(percentile(took, 0.5))}, p99 ${ms(percentile(took, 0.99))}`,
        goal: `p50 <= ${GOALS.restMs} ms`,
        ok: percentile(took, 0.5) <= GOALS.restMs,
      },
    ];
  });
}

async function hanging(): Promise<readonly Figure[]> {
  const paths = (hang: boolean) =>
    Array.from({ length: ENDPOINTS }, (_, n) => (hang && n % 10 === 0 ? `hang/${n}` : `well/${n}`));
  const measured = (hang: boolean) =>
    within(paths(hang), async ({ receiver, sender }) => {
      await sender.ask({ type: 'happen', events: 3, requests: 3, perSecond: 1 }, 'happened');
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      await receiver.ask({ type: 'forget' }, 'forgot');
      const asked = { type: 'happen', events: SECONDS, requests: SECONDS, perSecond: 0.5 } as const;
      const { commits } = await sender.ask(asked, 'happened');
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      const report = await receiver.report();
      const took = delays(commits, report).sort((a, b) => a - b);
      return { p50: percentile(took, 0.5), p99: percentile(took, 0.99), count: took.length, report };
    });
  const [well, ill] = [await measured(false), await measured(true)];
  const expected = SECONDS * ENDPOINTS * 0.9;
  return [
    {
      name: `${ENDPOINTS} endpoints told of each event, every 2 s`,
      value: `p50 ${ms(well.p50)}, p99 ${ms(well.p99)}, ${well.count} deliveries`,
    },
    {
      name: 'the same, of which 100 hang: the others',
      value: `p50 ${ms(ill.p50)}, p99 ${ms(ill.p99)}, ${ill.count} of ${expected} deliveries, ${(ill.p99 / well.p99).toFixed(2)}`,
      goal: `p99 <= ${GOALS.hanging} times`,
      ok: ill.p99 <= GOALS.hanging * well.p99 && ill.count === expected,
    },
  ];
}
