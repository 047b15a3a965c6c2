import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, it } from 'vitest';
import { descendants, lives } from '../support/processes.js';
import { ROOT } from '../support/repository.js';
import { until } from '../support/until.js';

const LANE = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'e2e', 'test/e2e/quotes.test.ts'];

let group: number | undefined;

afterEach(() => {
  if (group !== undefined && lives(group)) process.kill(-group, 'SIGKILL');
});

function argumentsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

it.each([
  ['Ctrl-C', 'SIGINT'],
  ['a kill of the whole lane', 'SIGKILL'],
] as const)('%s leaves neither processes of the shared world nor its folder', async (_, signal) => {
  const env = { ...process.env, NODE_OPTIONS: '', VITEST: '', CAUSEWAY_TIER: undefined };
  const lane = spawn(process.execPath, LANE, { cwd: ROOT, env, detached: true, stdio: 'ignore' });
  const { pid } = lane;
  if (pid === undefined) throw new Error('the lane did not start');
  group = pid;
  let all: readonly number[] = [];
  const config = await until('the service runs, and shells wait for the end of two chains and it', () => {
    all = descendants(pid);
    const words = all.map(argumentsOf);
    const [folder] = words.flatMap((one) => one.filter((word) => word.endsWith('solver.yaml')));
    return words.filter((one) => one.includes('keeper')).length === 3 && folder;
  });
  process.kill(-pid, signal);
  await until('all end', () => all.every((one) => !lives(one)));
  await until('the folder is removed', () => !existsSync(dirname(config)));
});
