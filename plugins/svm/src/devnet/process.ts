import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DevnetChainPlan } from '@causeway/core';
import type { SvmChainOptions, SvmOptions } from '../options.js';
import { rpc } from './rpc.js';

const FIRST_PORT = 8899;
const SCRIPT = fileURLToPath(new URL('../../devnet/node.mjs', import.meta.url));
export const SLOT_MS = 400;

export type LocalChainOptions = SvmChainOptions & { readonly rpc: 'devnet' };

export function localChains(options: unknown): readonly LocalChainOptions[] {
  return (options as SvmOptions).chains.filter((chain): chain is LocalChainOptions => chain.rpc === 'devnet');
}

export function plan(options: unknown): readonly DevnetChainPlan[] {
  return localChains(options).map(({ id, blockTimeMs = SLOT_MS }, index) => ({
    chainId: id,
    preferredPort: FIRST_PORT + 2 * index,
    ports: 2,
    process: (port) => ({
      name: `chain-${id}`,
      command: process.execPath,
      args: [SCRIPT, JSON.stringify({ port, slotTimeMs: blockTimeMs, timed: true })],
    }),
    ready: answers,
  }));
}

export function missingNode(platform: string, arch: string): string | undefined {
  const name = `@solana/surfpool-${platform}-${arch}-gnu`;
  try {
    createRequire(import.meta.url).resolve(name);
    return undefined;
  } catch {
    return `${name} is not installed (npm install, with optional dependencies; there is one for linux-x64 with glibc)`;
  }
}

async function answers(port: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const health = await rpc<string>(`http://127.0.0.1:${port}`, 'getHealth').catch(() => undefined);
    if (health === 'ok') return;
    await delay(10, undefined, { signal });
  }
}
