import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DevnetSeedResult, Logger } from '@causeway/core';
import { freePorts } from '@causeway/core/testing';
import { devnet } from '../../src/devnet/index.js';

const log: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };

export interface Supervised {
  readonly result: DevnetSeedResult;
  again(options: unknown): Promise<DevnetSeedResult>;
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
      const stateDir = join(home, `chain-${plan.chainId}`);
      mkdirSync(stateDir, { recursive: true });
      const { command, args } = plan.process(port, stateDir);
      children.push(spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }));
      await plan.ready(port, AbortSignal.timeout(20_000));
      chains.push({ chainId: plan.chainId, port, stateDir });
    }
    const again = (other: unknown) => devnet.seed(other, { chains, keysDir: join(home, 'keys'), log });
    return { result: await again(options), again, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
