import { fork } from 'node:child_process';
import type { RunResult, SimulationProfile } from '@causeway/core/testing';
import { runSeeds } from './run-seeds.js';

export interface Task {
  readonly from: number;
  readonly seeds: number;
  readonly stride: number;
  readonly profile: SimulationProfile;
}

const STOP = 'stop';

/**
 * Plays seeds in a child process, which asks for each next seed so that it can be stopped.
 *
 * @param script of that process, which calls `work`.
 * @throws when it exits with a code other than 0.
 */
export function inWorker(script: URL, task: Task, until: () => boolean, done: (run: RunResult) => void): Promise<void> {
  const child = fork(script, ['--worker'], { execArgv: process.execArgv });
  let reported = false;
  let code: number | null | undefined;
  return new Promise((resolve, reject) => {
    // The exit event may arrive before its last messages.
    const end = (): void => {
      if (code === undefined || child.connected) return;
      if (code === 0) resolve();
      else reject(new Error(`a worker ended with ${code}`));
    };
    child.on('message', (run: RunResult) => {
      done(run);
      if (reported || !until()) return;
      reported = true;
      // If the channel is closed, the child has played all its seeds or has failed; its exit code says which.
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
