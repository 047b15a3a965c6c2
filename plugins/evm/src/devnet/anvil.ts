import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { anvilBinary } from './binary.js';
import { anvilFlags } from './flags.js';
import { endWithUs } from './keeper.js';
import { quantity, rpc } from './rpc.js';

export interface AnvilOptions {
  readonly chainId: number;
  readonly port?: number;
  /** Seconds; without it every transaction makes a block. */
  readonly blockTime?: number;
  /** False: blocks only by `mine`. Default true, ignored with `blockTime`. */
  readonly automine?: boolean;
  /** finalized = head - 2 * this. Default 1. */
  readonly slotsInEpoch?: number;
  readonly stateFile?: string;
}

export interface ReorgTransaction {
  readonly transaction: `0x${string}` | Readonly<Record<string, unknown>>;
  readonly block: number;
}

export interface Anvil {
  readonly chainId: number;
  readonly port: number;
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly pid: number;
  rpc<T>(method: string, params?: readonly unknown[]): Promise<T>;
  height(): Promise<number>;
  mine(blocks?: number): Promise<void>;
  setAutomine(on: boolean): Promise<void>;
  setIntervalMining(seconds: number): Promise<void>;
  /**
   * Replaces the newest `depth` blocks by as many new ones, empty but for `transactions`. Old transactions do not
   * return to the mempool.
   */
  reorg(depth: number, transactions?: readonly ReorgTransaction[]): Promise<void>;
  dropTransaction(hash: string): Promise<void>;
  snapshot(): Promise<string>;
  revert(snapshot: string): Promise<void>;
  /** wei */
  setBalance(address: string, balance: bigint): Promise<void>;
  stop(): Promise<void>;
  /** As if the machine had failed. */
  kill(): Promise<void>;
}

/**
 * For tests. Resolves when the node listens; it ends with this process.
 *
 * @throws with the node's output when it does not start, e.g. because the port is taken.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const cachePath = mkdtempSync(join(tmpdir(), 'causeway-anvil-'));
  const flags = anvilFlags({
    chainId: options.chainId,
    port: options.port ?? 0,
    slotsInEpoch: options.slotsInEpoch ?? 1,
    blockTime: options.blockTime,
    noMining: options.blockTime === undefined && options.automine === false,
    stateFile: options.stateFile,
    stateInterval: 1,
    cachePath,
  });
  const child = spawn(anvilBinary(), flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  endWithUs(child, cachePath);
  child.once('exit', () => rmSync(cachePath, { recursive: true, force: true }));
  const port = await listeningPort(child);
  const anvil = control(child, options.chainId, port);
  await anvil.rpc('anvil_setLoggingEnabled', [false]);
  return anvil;
}

function listeningPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const port = /Listening on [^\s]*:(\d+)/.exec(output)?.[1];
      if (port === undefined) return;
      child.stdout?.off('data', read).resume();
      resolve(Number(port));
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`anvil ended with ${code ?? signal}: ${output.slice(-500)}`)),
    );
  });
}

function control(child: ChildProcess, chainId: number, port: number): Anvil {
  const rpcUrl = `http://127.0.0.1:${port}`;
  const call = <T>(method: string, params: readonly unknown[] = []): Promise<T> => rpc<T>(rpcUrl, method, params);
  return {
    chainId,
    port,
    rpcUrl,
    wsUrl: `ws://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    rpc: call,
    height: async () => Number(await call<string>('eth_blockNumber')),
    mine: async (blocks = 1) => void (await call('anvil_mine', [quantity(blocks)])),
    setAutomine: async (on) => void (await call('evm_setAutomine', [on])),
    setIntervalMining: async (seconds) => void (await call('evm_setIntervalMining', [seconds])),
    reorg: async (depth, transactions = []) =>
      void (await call('anvil_reorg', [depth, transactions.map((item) => [item.transaction, item.block])])),
    dropTransaction: async (hash) => void (await call('anvil_dropTransaction', [hash])),
    snapshot: () => call<string>('evm_snapshot'),
    revert: async (snapshot) => void (await call('evm_revert', [snapshot])),
    setBalance: async (address, balance) => void (await call('anvil_setBalance', [address, quantity(balance)])),
    stop: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
  };
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  const patience = new AbortController();
  await Promise.race([ended, delay(5_000, undefined, { signal: patience.signal }).then(() => child.kill('SIGKILL'))]);
  patience.abort();
  await ended;
}
