import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { LoadPlan, LoadResult } from './http-load.js';

/** Server and generator get one core each where the machine has two and `taskset`. */
const SERVER_CPU = '0';
const LOAD_CPU = '1';

/** Moves a running process with all its threads to the server's core. False where that is impossible. */
export function pinServer(pid: number): boolean {
  return pinTo(pid, SERVER_CPU);
}

export function unpinServer(pid: number): void {
  pinTo(pid, `0-${availableParallelism() - 1}`);
}

function pinTo(pid: number, cpus: string): boolean {
  try {
    execFileSync('taskset', ['-a', '-p', '-c', cpus, String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export async function loadFrom(plan: LoadPlan): Promise<LoadResult> {
  const script = fileURLToPath(new URL('./http-load.ts', import.meta.url));
  const node = [process.execPath, '--import', 'tsx', script, JSON.stringify(plan)];
  const [command, ...args] = hasTaskset() ? ['taskset', '-c', LOAD_CPU, ...node] : node;
  const child = spawn(command as string, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the generator ended with ${code}`);
  return JSON.parse(out) as LoadResult;
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** All threads. Unlike throughput, independent of other load. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}
