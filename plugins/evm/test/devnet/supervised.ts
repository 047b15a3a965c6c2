import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DevnetSeedResult, Logger } from '@causeway/core';
import { freePorts } from '@causeway/core/testing';
import { devnet } from '../../src/devnet/index.js';
import { endWithUs } from '../../src/devnet/keeper.js';
import { seed } from '../../src/devnet/seed.js';
import { venueArtifacts } from '../../src/devnet/venues/artifacts.js';

const log: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };

export interface Supervised {
  readonly result: DevnetSeedResult;
  readonly tookMs: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/**
 * Boots local chains like a supervisor: plan, processes, ready, seed.
 *
 * @param contracts Third-party ones, if installed.
 */
export async function supervise(options: unknown, home: string, contracts = venueArtifacts): Promise<Supervised> {
  const started = performance.now();
  const children: ChildProcess[] = [];
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    const alive = children.filter((child) => child.exitCode === null && child.signalCode === null);
    const ended = alive.map((child) => once(child, 'exit'));
    for (const child of alive) child.kill(signal);
    await Promise.all(ended);
  };
  try {
    const chains = await Promise.all(
      devnet.plan(options).map(async (plan) => {
        const port = await freePorts();
        const stateDir = join(home, `chain-${plan.chainId}`);
        mkdirSync(stateDir, { recursive: true });
        const { command, args } = plan.process(port, stateDir);
        const child = spawn(command, args, { stdio: 'inherit' });
        endWithUs(child);
        children.push(child);
        await plan.ready(port, AbortSignal.timeout(10_000));
        return { chainId: plan.chainId, port, stateDir };
      }),
    );
    const result = await seed(options, { chains, keysDir: join(home, 'keys'), log }, contracts);
    return { result, tookMs: performance.now() - started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
