import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { freePorts } from '@causeway/core/testing';
import { ROOT } from '../support/repository.js';
import { type Bench, ms, percentile } from './report.js';

const RUNS = 3;
const LIMIT_MS = 5_000;
const DEVNET = `${ROOT}.causeway/devnet.json`;

/** `npm start` from the command to the first response, against the time of an empty npm script. */
export const startBench: Bench = {
  name: 'start',
  about: 'npm start, installed and built, until the service answers',
  async run() {
    if (existsSync(DEVNET)) throw new Error('a local build is running; stop it first');
    const nothing: number[] = [];
    const times: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      nothing.push(await timed(['--version']));
      times.push(await startOnce());
    }
    const [start, baseline] = [percentile(times, 0.5), percentile(nothing, 0.5)];
    return [
      { name: 'npm doing nothing (baseline)', value: ms(baseline) },
      {
        name: 'start',
        value: `${ms(start)}, ${(start / baseline).toFixed(1)} times the baseline`,
        goal: `<= ${LIMIT_MS} ms`,
        ok: start <= Math.max(LIMIT_MS, 30 * baseline),
      },
    ];
  },
};

async function timed(args: readonly string[]): Promise<number> {
  const started = performance.now();
  await once(spawn('npm', args, { cwd: ROOT, stdio: 'ignore' }), 'close');
  return performance.now() - started;
}

async function startOnce(): Promise<number> {
  const port = await freePorts();
  const started = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, PORT: String(port) },
  });
  try {
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return performance.now() - started;
  } finally {
    await stop(child);
  }
}

async function answers(port: number): Promise<boolean> {
  if (!existsSync(DEVNET)) return false;
  const { baseUrl } = JSON.parse(readFileSync(DEVNET, 'utf8')) as { baseUrl: string };
  if (!baseUrl.endsWith(`:${port}`)) return false;
  return fetch(`${baseUrl}/chains`).then(
    (response) => response.ok,
    () => false,
  );
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  process.kill(-child.pid, 'SIGINT');
  await once(child, 'close');
}
