import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchServer } from './ledger/child.js';
import { ledger } from './ledger/fill.js';
import type { Commit } from './ledger/messages.js';
import { digest } from './ledger/shape.js';
import { type Bench, type Figure, ms, percentile } from './report.js';
import type { FromClient, SocketsPlan } from './sockets-client.js';

const SOCKETS = Number(process.env['BENCH_SOCKETS'] ?? 10_000);
const REQUESTS = 10_000;
const PER_SECOND = 500;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 20);
const GOALS = { ms: 150, bytes: 20 * 1_024 } as const;
const SPARE_FILES = 200;

export const socketsBench: Bench = {
  name: 'sockets',
  about: `${SOCKETS} websockets of one process, each of its own id, ${PER_SECOND} status changes a second`,
  async run() {
    const files = Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }));
    if (files < SOCKETS + SPARE_FILES)
      throw new Error(`raise the limit of open files: ulimit -n ${SOCKETS + SPARE_FILES}`);
    const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
    const file = join(folder, 'causeway.db');
    cpSync(await ledger(REQUESTS), file);
    const ids = Array.from({ length: SOCKETS }, (_, n) => digest('request', n % REQUESTS));
    const server = await benchServer({ file, websockets: SOCKETS + 100 });
    const clients: ChildProcess[] = [];
    try {
      const change = { type: 'change', ids, perSecond: PER_SECOND, seconds: 3 } as const;
      const warm = await client({ port: server.port, ids: ids.slice(0, Math.ceil(SOCKETS / 20)) }, clients);
      const alone = await server.ask(change, 'changed');
      warm.process.kill('SIGKILL');
      const before = await server.ask({ type: 'rss' }, 'rss');
      const crowd = await client({ port: server.port, ids }, clients);
      const opened = await server.ask({ type: 'rss' }, 'rss');
      crowd.process.send('measure');
      const { commits } = await server.ask({ ...change, seconds: SECONDS }, 'changed');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const heard = said(crowd.process, 'frames');
      crowd.process.send('report');
      const loaded = await server.ask({ type: 'rss' }, 'rss');
      return figures({
        ...{ commits, alone: alone.commits.length, subscribed: crowd.seconds },
        ...{ before: before.bytes, opened: opened.bytes, loaded: loaded.bytes, reported: await heard },
      });
    } finally {
      for (const child of clients) child.kill('SIGKILL');
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function client(plan: SocketsPlan, started: ChildProcess[]) {
  const script = fileURLToPath(new URL('./sockets-client.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  started.push(child);
  const subscribed = said(child, 'subscribed');
  child.send(plan);
  return { process: child, seconds: (await subscribed).seconds };
}

async function said<T extends FromClient['type']>(child: ChildProcess, type: T) {
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the client ended with ${code}`))),
  ])) as [FromClient];
  if (message.type !== type) throw new Error(`the client said ${message.type} instead of ${type}`);
  return message as Extract<FromClient, { type: T }>;
}

interface Seen {
  readonly commits: readonly Commit[];
  readonly alone: number;
  readonly subscribed: number;
  readonly before: number;
  readonly opened: number;
  readonly loaded: number;
  readonly reported: Extract<FromClient, { type: 'frames' }>;
}

function figures({ commits, alone, subscribed, before, opened, loaded, reported }: Seen): Figure[] {
  const arrived = new Map(reported.frames);
  const waits = commits.flatMap(([event, at]) => {
    const came = arrived.get(event);
    // A frame may arrive before its committer gets the result.
    return came === undefined ? [] : [Math.max(0, came - at)];
  });
  const times = commits.map(([, at]) => at);
  const rate = ((commits.length - 1) * 1_000) / (Math.max(...times) - Math.min(...times));
  const p99 = percentile(waits, 0.99);
  const each = (bytes: number) => (bytes - before) / SOCKETS;
  const kb = (bytes: number) => `${(bytes / 1_024).toFixed(1)} KB`;
  return [
    { name: 'changes with few sockets (baseline)', value: `${(alone / 3).toFixed(0)}/s` },
    { name: 'opened and subscribed', value: `${SOCKETS} in ${subscribed.toFixed(1)} s` },
    { name: 'status changes', value: `${rate.toFixed(0)}/s`, goal: `${PER_SECOND}/s`, ok: rate > PER_SECOND * 0.95 },
    {
      name: 'commit to frame',
      value: `p50 ${ms(percentile(waits, 0.5))}, p99 ${ms(p99)}, most ${ms(percentile(waits, 1))}`,
      goal: `p99 <= ${GOALS.ms} ms`,
      ok: p99 <= GOALS.ms,
    },
    {
      name: 'frames',
      value: `${waits.length} of ${commits.length}, ${reported.closed} sockets closed`,
      goal: 'all',
      ok: waits.length === commits.length && reported.closed === 0,
    },
    {
      name: 'memory per socket',
      value: `${kb(each(opened))} when open, ${kb(each(loaded))} after the load (${kb(before)} before)`,
      goal: `<= ${kb(GOALS.bytes)}`,
      ok: each(loaded) <= GOALS.bytes,
    },
  ];
}
