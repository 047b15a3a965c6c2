import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadPlan, LoadResult } from './http-load.js';
import { benchServer } from './ledger/child.js';
import { ledger } from './ledger/fill.js';
import { digest } from './ledger/shape.js';
import { cpuMs, loadFrom, pinServer } from './pinned.js';
import { type Bench, type Figure, ms, percentile } from './report.js';

const REQUESTS = 10_000;
const SECONDS = 3;
/** Each measures the baseline, then the service, because machine speed varies over time. */
const ROUNDS = 5;
const CONNECTIONS = 64;
const GOAL = 0.4;

type Costed = LoadResult & { readonly cpuUs: number };

interface Round {
  readonly baseline: Costed;
  readonly polled: Costed;
}

/** Status polling against koa that returns the same text, alternating on the same core; medians of rounds. */
export const statusBench: Bench = {
  name: 'status',
  about: 'GET /intents/status/v3 against bare koa, one core each in turn',
  async run() {
    const server = await benchServer({ file: await ledger(REQUESTS), websockets: 10 });
    try {
      const url = `http://127.0.0.1:${server.port}/intents/status/v3?requestId=`;
      const example = await (await fetch(`${url}${digest('request', 0)}`)).text();
      const pinned = pinServer(server.pid);
      const ids = Array.from({ length: 1_000 }, (_, n) => digest('request', (n * 7_919) % REQUESTS));
      const plan = {
        ...planFor(server.port),
        path: '/intents/status/v3',
        queries: ids.map((id) => `?requestId=${id}`),
      };
      return await withBareKoa(example, async (koa) => {
        const rounds: Round[] = [];
        for (let n = 0; n < ROUNDS; n += 1) {
          const baseline = await withCpu(koa.pid, () => loadFrom(planFor(koa.port)));
          rounds.push({ baseline, polled: await withCpu(server.pid, () => loadFrom(plan)) });
        }
        return figures(rounds, pinned);
      });
    } finally {
      await server.close();
    }
  },
};

function planFor(port: number): LoadPlan {
  const plan = { host: '127.0.0.1', port, path: '/', bodies: [''], connections: CONNECTIONS };
  return { ...plan, warmupSeconds: 1, seconds: SECONDS };
}

async function withCpu(pid: number, run: () => Promise<LoadResult>): Promise<Costed> {
  const before = cpuMs(pid);
  const result = await run();
  return { ...result, cpuUs: ((cpuMs(pid) - before) * 1000) / result.served };
}

async function withBareKoa<T>(
  answer: string,
  use: (koa: { readonly pid: number; readonly port: number }) => Promise<T>,
): Promise<T> {
  const script = fileURLToPath(new URL('./bare-koa.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, answer], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const pid = child.pid ?? 0;
    pinServer(pid);
    return await use({ pid, port: Number(line.toString('utf8')) });
  } finally {
    child.kill('SIGTERM');
  }
}

function figures(rounds: readonly Round[], pinned: boolean): Figure[] {
  const middle = (value: (round: Round) => number): number => percentile(rounds.map(value), 0.5);
  const ratio = middle(({ baseline, polled }) => polled.perSecond / baseline.perSecond);
  const notOk = rounds.reduce((sum, { polled }) => sum + polled.notOk, 0);
  const reported = (which: keyof Round) =>
    `${middle((round) => round[which].perSecond).toFixed(0)}/s, p50 ${ms(middle((round) => round[which].p50))}, p99 ${ms(middle((round) => round[which].p99))}`;
  const each = rounds.map(({ baseline, polled }) => (polled.perSecond / baseline.perSecond).toFixed(3)).join(' ');
  const cpu = (which: keyof Round) => middle((round) => round[which].cpuUs).toFixed(1);
  return [
    { name: 'one core each', value: pinned ? 'yes' : 'no (taskset is missing): ratios are only indicative' },
    { name: 'bare koa (baseline)', value: reported('baseline') },
    { name: 'status', value: reported('polled') },
    {
      name: 'status / baseline',
      value: `${ratio.toFixed(3)} (${each})`,
      ratio,
      baseline: middle(({ baseline }) => baseline.perSecond),
      goal: `>= ${GOAL}`,
      ok: ratio >= GOAL,
    },
    { name: 'processor time per request', value: `${cpu('polled')} us, baseline ${cpu('baseline')} us` },
    { name: 'answers that were not 200', value: String(notOk), goal: '0', ok: notOk === 0 },
  ];
}
