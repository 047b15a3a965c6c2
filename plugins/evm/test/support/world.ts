import type { Clock, DepositBatch, Hex, Wanted } from '@causeway/core';
import { chainConfig } from '../../src/chain-config.js';
import { type Anvil, type CausewayDeployment, deployCauseway, startAnvil } from '../../src/devnet/index.js';
import { EvmAdapter } from '../../src/evm-adapter.js';
import type { EvmChainOptions } from '../../src/options.js';
import { clock, countingMetrics, key, recordingAlerts, recordingLogger, signerOf } from './services.js';

export const FILL_KEY = key(1);
export const ALLOCATOR_KEY = key(2);
export const SWEEPER_KEY = key(3);
export const fillSigner = signerOf(FILL_KEY);
export const sweeperSigner = signerOf(SWEEPER_KEY);
export const executorSigner = signerOf(key(4));
export const allocatorSigner = signerOf(ALLOCATOR_KEY);

export interface World {
  readonly anvil: Anvil;
  readonly deployed: CausewayDeployment;
}

export async function startWorld(slotsInEpoch = 32): Promise<World> {
  const anvil = await startAnvil({ chainId: 31337, slotsInEpoch });
  const roles = {
    fillSigner: { address: fillSigner.address, privateKey: FILL_KEY },
    allocator: allocatorSigner.address,
    sweeper: sweeperSigner.address,
  };
  return { anvil, deployed: await deployCauseway(anvil, roles) };
}

export function chainOptions({ anvil, deployed }: World, extra: Partial<EvmChainOptions> = {}): EvmChainOptions {
  const token = (symbol: 'USDC' | 'USDT' | 'FEE' | 'BLOCK') => ({
    symbol,
    name: symbol,
    address: deployed.tokens[symbol],
    decimals: 6,
    group: symbol.toLowerCase(),
    approveReset: symbol === 'USDT',
  });
  return {
    id: anvil.chainId,
    name: 'test',
    displayName: 'Test',
    rpc: [{ http: anvil.rpcUrl, ws: anvil.wsUrl }],
    contracts: { depository: deployed.depository, router: deployed.router },
    currencies: [token('USDC'), token('USDT'), token('FEE'), token('BLOCK')],
    blockTimeMs: 1000,
    watch: { pollMs: 100 },
    ...extra,
  };
}

export interface Rig {
  readonly adapter: EvmAdapter;
  readonly log: ReturnType<typeof recordingLogger>;
  readonly alerts: ReturnType<typeof recordingAlerts>;
  readonly metrics: ReturnType<typeof countingMetrics>;
}

export function makeAdapter(options: EvmChainOptions, time: Clock = clock): Rig {
  const log = recordingLogger();
  const alerts = recordingAlerts();
  const config = chainConfig(options, 'local', 0);
  const sweeps = options.contracts?.depositAddresses !== undefined;
  const executes = options.contracts?.permitEntry !== undefined;
  const signers = {
    ...{ fill: fillSigner, allocator: allocatorSigner },
    ...(sweeps ? { sweeper: sweeperSigner } : {}),
    ...(executes ? { executors: [executorSigner] } : {}),
  };
  const metrics = countingMetrics();
  return { adapter: new EvmAdapter(config, signers, { clock: time, log, alerts, metrics }), log, alerts, metrics };
}

export async function startAdapter(options: EvmChainOptions, time?: Clock): Promise<Rig> {
  const rig = makeAdapter(options, time);
  await rig.adapter.start();
  return rig;
}

export class Follower {
  readonly #stop = new AbortController();
  readonly #batches: AsyncIterator<DepositBatch>;
  cursor: string | undefined;

  constructor(adapter: EvmAdapter, cursor?: string, wanted?: Wanted) {
    this.cursor = cursor;
    this.#batches = adapter.watchDeposits(cursor, this.#stop.signal, wanted)[Symbol.asyncIterator]();
  }

  async next(): Promise<DepositBatch> {
    const { value, done } = await this.#batches.next();
    if (done === true) throw new Error('the watch ended');
    this.cursor = value.cursor;
    return value;
  }

  async until(condition: (batch: DepositBatch) => boolean): Promise<DepositBatch[]> {
    const seen: DepositBatch[] = [];
    for (;;) {
      const batch = await this.next();
      seen.push(batch);
      if (condition(batch)) return seen;
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#batches.return?.();
  }
}

export async function eventually<T>(read: () => Promise<T>, good: (value: T) => boolean, ms = 5000): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const value = await read();
    if (good(value)) return value;
    if (Date.now() > end)
      throw new Error(`still ${JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? String(v) : v))}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function orderId(n: number): Hex {
  return `0x${n.toString(16).padStart(64, 'a')}`;
}
