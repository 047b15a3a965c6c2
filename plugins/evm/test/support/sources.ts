import type { ChainAdapter, LiquiditySource, PluginContext } from '@causeway/core';
import { plugin } from '../../src/index.js';
import type { EvmChainOptions, EvmOptions } from '../../src/options.js';
import { clock, countingMetrics, recordingAlerts, recordingLogger } from './services.js';
import { allocatorSigner, fillSigner } from './world.js';

export interface RunningSources {
  readonly sources: ReadonlyMap<string, LiquiditySource>;
  stop(): Promise<void>;
}

/** @param roles Keys of the deployed contracts; default: the test world's. */
export async function startSources(
  chains: readonly EvmChainOptions[],
  roles: { readonly fill: typeof fillSigner; readonly allocator: typeof allocatorSigner } = {
    fill: fillSigner,
    allocator: allocatorSigner,
  },
): Promise<RunningSources> {
  const options: EvmOptions = { chains, signers: { fill: 'env:fill', allocator: 'env:allocator' } };
  const sources = new Map<string, LiquiditySource>();
  const starts: (() => Promise<void>)[] = [];
  const stops: (() => Promise<void>)[] = [];
  const context = {
    ...{ id: 'evm', options, network: 'local', clock, metrics: countingMetrics(), log: recordingLogger() },
    alerts: recordingAlerts(),
    keys: { secp256k1: (reference: string) => (reference.includes('fill') ? roles.fill : roles.allocator) },
    chains: { add: (_chain: ChainAdapter) => undefined },
    liquidity: { add: (source: LiquiditySource) => void sources.set(source.id, source) },
    lifecycle: {
      onStart: (task: () => Promise<void>) => void starts.push(task),
      onStop: (task: () => Promise<void>) => void stops.push(task),
    },
  };
  plugin.register(context as unknown as PluginContext<EvmOptions>);
  for (const start of starts) await start();
  return {
    sources,
    stop: async () => {
      for (const stop of stops.reverse()) await stop();
    },
  };
}
