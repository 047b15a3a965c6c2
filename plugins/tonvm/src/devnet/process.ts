import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DevnetChainPlan } from '@causeway/core';
import type { TonvmChainOptions, TonvmOptions } from '../options.js';
import { dev } from './dev.js';

const FIRST_PORT = 8081;
const SCRIPT = fileURLToPath(new URL('../../devnet/node.mjs', import.meta.url));
export const BLOCK_MS = 1_000;

export type LocalChainOptions = TonvmChainOptions & { readonly rpc: 'devnet' };

export function localChains(options: unknown): readonly LocalChainOptions[] {
  return (options as TonvmOptions).chains.filter((chain): chain is LocalChainOptions => chain.rpc === 'devnet');
}

/** A chain ends with its process. */
export function plan(options: unknown): readonly DevnetChainPlan[] {
  return localChains(options).map(({ id, blockTimeMs: blockMs = BLOCK_MS, localPrices: prices = 'free' }, index) => ({
    chainId: id,
    preferredPort: FIRST_PORT + index,
    process: (port) => ({
      name: `chain-${id}`,
      command: process.execPath,
      // Request garbage is short-lived; a larger young generation only keeps it longer.
      args: ['--max-semi-space-size=4', SCRIPT, JSON.stringify({ port, blockMs, prices })],
    }),
    ready: answers,
  }));
}

/** Undefined where its package is installed. */
export function missingNode(): string | undefined {
  try {
    createRequire(import.meta.url).resolve('@ton/sandbox');
    return undefined;
  } catch {
    return '@ton/sandbox is not installed (npm install, with optional dependencies)';
  }
}

async function answers(port: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    if (await dev(`http://127.0.0.1:${port}`, 'head').then(Boolean, () => false)) return;
    await delay(20, undefined, { signal });
  }
}
