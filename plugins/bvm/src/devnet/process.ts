import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DevnetChainPlan } from '@causeway/core';
import { NETWORKS, type Network } from '../network.js';
import type { BvmChainOptions, BvmOptions } from '../options.js';
import { publicAccount } from './keys.js';
import { rpc } from './rpc.js';

const FIRST_PORT = 18_443;
/** Default block interval, milliseconds. */
export const BLOCK_MS = 2_000;

const script = (name: string): string => fileURLToPath(new URL(`../../devnet/${name}`, import.meta.url));

type NodeKind = 'bitcoin' | 'litecoin';

export type LocalChainOptions = BvmChainOptions & { readonly rpc: 'devnet' };

export function localChains(options: unknown): readonly LocalChainOptions[] {
  return (options as BvmOptions).chains.filter((chain): chain is LocalChainOptions => chain.rpc === 'devnet');
}

export function localNetwork({ id, network }: LocalChainOptions): Network & { readonly kind: NodeKind } {
  for (const kind of ['bitcoin', 'litecoin'] as const) {
    const known = NETWORKS[`${kind}-regtest`];
    if (network === known.name) return { ...known, kind };
  }
  throw new Error(`chain ${id}: local chains are of bitcoin-regtest or litecoin-regtest`);
}

/** Offset from the RPC port. */
export const ZMQ = 1;
export const EXPLORER = 2;

/** Three ports each: RPC, ZMQ, explorer. */
export function plan(options: unknown): readonly DevnetChainPlan[] {
  return localChains(options).map((chain, index) => {
    const network = localNetwork(chain);
    const { kind } = network;
    return {
      chainId: chain.id,
      preferredPort: FIRST_PORT + 10 * index,
      ports: 3,
      process: (port, stateDir) => {
        const settings = {
          ...{ program: program(kind), kind, port, zmqPort: port + ZMQ, explorerPort: port + EXPLORER },
          ...{ dataDir: join(stateDir, 'node'), blockMs: chain.blockTimeMs ?? BLOCK_MS },
          mineTo: publicAccount('miner', network).address,
        };
        const args = [script('node.mjs'), JSON.stringify(settings)];
        return { name: `chain-${chain.id}`, command: process.execPath, args };
      },
      ready: answers,
    };
  });
}

export function urlOf(port: number): string {
  return `http://devnet:devnet@127.0.0.1:${port}`;
}

const found = new Map<NodeKind, string>();

/** Downloaded if missing, with progress on standard error. */
function program(kind: NodeKind): string {
  const known = found.get(kind);
  if (known !== undefined) return known;
  const { status, output } = spawnSync(process.execPath, [script('obtain.mjs'), kind], {
    encoding: 'utf8',
    env: { ...process.env, CAUSEWAY_REASON_FD: '3' },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  if (status !== 0) throw new Error(`no ${kind} node: ${output[3]?.trim() || 'it cannot be looked for'}`);
  const path = output[1]?.trim() ?? '';
  found.set(kind, path);
  return path;
}

export function missingNode(): string | undefined {
  try {
    program('bitcoin');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function answers(port: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const there = await Promise.all([
      rpc(urlOf(port), 'getblockcount').then(
        () => true,
        () => false,
      ),
      fetch(`http://127.0.0.1:${port + EXPLORER}/`).then(
        () => true,
        () => false,
      ),
    ]);
    if (there.every(Boolean)) return;
    await delay(20, undefined, { signal });
  }
}
