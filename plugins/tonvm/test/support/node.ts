import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@causeway/core/testing';
import type { Address } from '@ton/core';

const SCRIPT = fileURLToPath(new URL('../../devnet/node.mjs', import.meta.url));

export interface NodeSettings {
  /** Milliseconds between blocks; 0: on demand. */
  readonly blockMs?: number;
  /** External messages get a block at once. */
  readonly instant?: boolean;
  /** `free`: no gas and storage fees, so that a paid account keeps all of it. */
  readonly prices?: 'network' | 'free';
}

export interface Head {
  readonly height: number;
  readonly id: string;
  readonly timestamp: number;
  /** Messages in flight. */
  readonly waiting: number;
}

export interface LocalNode {
  /** Without a path. */
  readonly origin: string;
  readonly url: string;
  readonly zeroState: string;
  /** URL of a provider that lacks the newest blocks. */
  behind(blocks: number): string;
  /** URL of a provider on a fork, with other block names from a height on. */
  apart(from: number): string;
  dev<T = unknown>(what: string, given?: object): Promise<T>;
  head(): Promise<Head>;
  /** Mints nanotons; included when it resolves. */
  fund(address: Address, amount: bigint): Promise<void>;
  stop(): Promise<void>;
}

export async function startNode({
  blockMs = 0,
  instant = false,
  prices = 'network',
}: NodeSettings = {}): Promise<LocalNode> {
  const port = await freePorts(1);
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify({ port, blockMs, instant, prices })], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const { zeroState } = await ready(child);
  const origin = `http://127.0.0.1:${port}`;
  const dev = async <T>(what: string, given: object = {}): Promise<T> => {
    const response = await fetch(`${origin}/dev/${what}`, { method: 'POST', body: JSON.stringify(given) });
    const reported = (await response.json()) as T & { error?: string };
    if (!response.ok) throw new Error(`${what}: ${reported.error ?? response.status}`);
    return reported;
  };
  return {
    ...{ origin, zeroState, dev, url: `${origin}/api/v2/jsonRPC` },
    apart: (from) => `${origin}/apart/${from}/api/v2/jsonRPC`,
    behind: (blocks) => `${origin}/behind/${blocks}/api/v2/jsonRPC`,
    head: () => dev<Head>('head'),
    fund: async (address, amount) => {
      await dev('faucet', { address: address.toRawString(), amount: amount.toString() });
      await dev('settle');
    },
    stop: async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function ready(child: ChildProcess): Promise<{ readonly zeroState: string }> {
  const { stdout } = child;
  if (stdout === null) throw new Error('the node says nothing');
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('the node ended')));
  const [line] = (await Promise.race([once(stdout, 'data'), failed])) as [Buffer];
  failed.catch(() => undefined);
  return JSON.parse(line.toString()) as { zeroState: string };
}
