import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadPlan, LoadResult } from './http-load.js';
import { benchServer } from './ledger/child.js';
import { ledger } from './ledger/fill.js';
import { digest } from './ledger/shape.js';
import { cpuMs, loadFrom, pinServer } from './pinned.js';
import { type Bench, type Figure, ms } from './report.js';

const REQUESTS = 10_000;
const SECONDS = 6;
const CONNECTIONS = 64;
const GOAL = 0.4;

type Costed = LoadResult & { readonly cpuUs: number };

/** Polling against koa that answers the same text and does nothing else, on the same core one after the other. */
export const statusBench: Bench = {
  name: 'status',
  about: 'GET /intents/status/v3 against bare koa, one core each in turn',
  async run() {
    const server = await benchServer({ file: await ledger(REQUESTS), websockets: 10 });
    try {
      const url = `http://127.0.0.1:${server.port}/intents/status/v3?requestId=`;
      const example = await (await fetch(`${url}${digest('request', 0)}`)).text();
      const baseline = await measureBaseline(example);
      const pinned = pinServer(server.pid);
      const ids = Array.from({ length: 1_000 }, (_, n) => digest('request', (n * 7_919) % REQUESTS));
      const plan = {
        ...planFor(server.port),
        path: '/intents/status/v3',
        queries: ids.map((id) => `?requestId=${id}`),
      };
      const polled = await withCpu(server.pid, () => loadFrom(plan));
      return figures(baseline, polled, pinned);
    } finally {
      await server.close();
    }
  },
};

function planFor(port: number): LoadPlan {
  const plan = { host: '127.0.0.1', port, path: '/', bodies: [''], connections: CONNECTIONS };
  return { ...plan, warmupSeconds: 3, seconds: SECONDS };
}

/** Adds the processor time per request; requests of the second warm-up count on both sides. */
async function withCpu(pid: number, run: () => Promise<LoadResult>): Promise<Costed> {
  // Once before, so that what is compiled while it becomes hot is nobody's cost.
  await run();
  const before = cpuMs(pid);
  const result = await run();
  return { ...result, cpuUs: ((cpuMs(pid) - before) * 1000) / result.served };
}

async function measureBaseline(answer: string): Promise<Costed> {
  const script = fileURLToPath(new URL('./bare-koa.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, answer], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const pid = child.pid ?? 0;
    pinServer(pid);
    return await withCpu(pid, () => loadFrom(planFor(Number(line.toString('utf8')))));
  } finally {
    child.kill('SIGTERM');
  }
}

function figures(baseline: Costed, polled: Costed, pinned: boolean): Figure[] {
  const ratio = polled.perSecond / baseline.perSecond;
  return [
    { name: 'one core each', value: pinned ? 'yes' : 'no (taskset is missing): ratios are only indicative' },
    { name: 'bare koa (baseline)', value: `${baseline.perSecond.toFixed(0)}/s, p99 ${ms(baseline.p99)}` },
    { name: 'status', value: `${polled.perSecond.toFixed(0)}/s, p50 ${ms(polled.p50)}, p99 ${ms(polled.p99)}` },
    { name: 'status / baseline', value: ratio.toFixed(3), goal: `>= ${GOAL}`, ok: ratio >= GOAL },
    {
      name: 'processor time per request',
      value: `${polled.cpuUs.toFixed(1)} us, baseline ${baseline.cpuUs.toFixed(1)} us`,
    },
    { name: 'answers that were not 200', value: String(polled.notOk), goal: '0', ok: polled.notOk === 0 },
  ];
}
