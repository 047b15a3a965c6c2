import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Devnet, DevnetSeedResult, Logger } from '@causeway/core';
import { freePorts } from '@causeway/core/testing';

const BOOT_MS = 20_000;
const log: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };

export interface LocalNodes {
  readonly seeded: DevnetSeedResult;
  stop(): Promise<void>;
}

/** @param keysDir of the solver, created when missing. */
export async function startNodes(
  devnet: Devnet,
  options: unknown,
  { stateDir, keysDir }: { readonly stateDir: string; readonly keysDir: string },
): Promise<LocalNodes> {
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
      const { command, args } = plan.process(port, stateDir);
      children.push(spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }));
      await plan.ready(port, AbortSignal.timeout(BOOT_MS));
      chains.push({ chainId: plan.chainId, port, stateDir });
    }
    return { seeded: await devnet.seed(options, { chains, keysDir, log }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
