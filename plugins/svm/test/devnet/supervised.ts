import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { DevnetSeedResult, Logger } from '@causeway/core';
import { freePorts } from '@causeway/core/testing';
import { devnet } from '../../src/devnet/index.js';

const log: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };

export interface Supervised {
  readonly result: DevnetSeedResult;
  readonly seedMs: number;
  readonly seedCpuMs: number;
  again(options: unknown, home?: string): Promise<DevnetSeedResult>;
  stop(): Promise<void>;
}

export async function supervise(options: unknown, home: string): Promise<Supervised> {
  const children: ChildProcess[] = [];
  const stop = async () => {
    const alive = children.filter((child) => child.exitCode === null && child.signalCode === null);
    const ended = alive.map((child) => once(child, 'exit'));
    for (const child of alive) child.kill('SIGTERM');
    await Promise.all(ended);
  };
  try {
    const chains: { chainId: number; port: number; stateDir: string }[] = [];
    for (const plan of devnet.plan(options)) {
      const port = await freePorts(plan.ports);
      const { command, args } = plan.process(port, home);
      children.push(spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }));
      await plan.ready(port, AbortSignal.timeout(10_000));
      chains.push({ chainId: plan.chainId, port, stateDir: home });
    }
    const again = (with_: unknown, keysHome = home) =>
      devnet.seed(with_, { chains, keysDir: join(keysHome, 'keys'), log });
    const began = performance.now();
    const worked = process.cpuUsage();
    const result = await again(options);
    const { user, system } = process.cpuUsage(worked);
    return { result, seedMs: performance.now() - began, seedCpuMs: (user + system) / 1_000, again, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
