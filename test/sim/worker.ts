import { fork } from 'node:child_process';
import type { RunResult, SimulationProfile } from '@causeway/core/testing';
import { runSeeds } from './run-seeds.js';

export interface Task {
  readonly from: number;
  readonly seeds: number;
  readonly stride: number;
  readonly profile: SimulationProfile;
}

/** What the parent says once its time is over. */
const STOP = 'stop';

/**
 * Plays seeds in a process of its own, which hears of each next seed so that it can be told to stop.
 *
 * @param script of that process, which calls `work`.
 * @throws when it ends with another code than 0.
 */
export function inWorker(script: URL, task: Task, until: () => boolean, done: (run: RunResult) => void): Promise<void> {
  const child = fork(script, ['--worker'], { execArgv: process.execArgv });
  let told = false;
  let code: number | null | undefined;
  return new Promise((resolve, reject) => {
    // Its end may be heard of before the last of what it told.
    const end = (): void => {
      if (code === undefined || child.connected) return;
      if (code === 0) resolve();
      else reject(new Error(`a worker ended with ${code}`));
    };
    child.on('message', (run: RunResult) => {
      done(run);
      if (told || !until()) return;
      told = true;
      // Where it cannot be told any more it has played all of its seeds, or has failed: its code says which.
      child.send(STOP, () => undefined);
    });
    child.on('error', reject);
    child.on('disconnect', end);
    child.on('exit', (ended) => {
      code = ended;
      end();
    });
    child.send(task, (error) => error && reject(error));
  });
}

/** What that process does. */
export async function work(): Promise<void> {
  let stopped = false;
  const task = await new Promise<Task>((resolve) => {
    process.on('message', (message: Task | typeof STOP) => {
      if (message === STOP) stopped = true;
      else resolve(message);
    });
  });
  const done = (run: RunResult): void => {
    process.send?.(run);
  };
  await runSeeds({ ...task, until: () => stopped, done });
  process.disconnect();
}
