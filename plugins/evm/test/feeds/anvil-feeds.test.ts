import type { Currency, Hex, PluginContext, PriceSource } from '@causeway/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts, deployer } from '../../src/devnet/index.js';
import { plugin } from '../../src/index.js';
import type { EvmChainOptions, EvmOptions } from '../../src/options.js';
import { clock, countingMetrics, recordingAlerts, recordingLogger } from '../support/services.js';
import { testClient, wallet } from '../support/wallet.js';
import { allocatorSigner, chainOptions, eventually, fillSigner, startWorld, type World } from '../support/world.js';

const { testAggregator } = artifacts;

function currency(group: string): Currency {
  return {
    chainId: 1,
    address: `0x${group}`,
    symbol: group,
    name: group,
    decimals: 18,
    isNative: false,
    group,
    verified: true,
  };
}

describe('on-chain feeds of a real chain', () => {
  let world: World;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
    await world.anvil.stop();
  });

  async function deployed(description: string, decimals: number): Promise<Hex> {
    const client = wallet(world.anvil, deployer);
    const { abi, bytecode } = testAggregator;
    const hash = await client.deployContract({ abi, bytecode, args: [description, decimals] });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    if (contractAddress == null) throw new Error('not deployed');
    return contractAddress;
  }

  async function report(address: Hex, answer: bigint, startedAt: bigint, updatedAt: bigint): Promise<void> {
    const client = wallet(world.anvil, deployer);
    const args = [answer, startedAt, updatedAt] as const;
    const hash = await client.writeContract({ address, abi: testAggregator.abi, functionName: 'report', args });
    await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  }

  async function started(chain: Partial<EvmChainOptions>): Promise<{ source: PriceSource; alerts: () => string }> {
    const [sources, starts, stops]: [PriceSource[], (() => Promise<void>)[], (() => Promise<void>)[]] = [[], [], []];
    const alerts = recordingAlerts();
    const context = {
      id: 'evm',
      options: {
        signers: { fill: 'env:fill', allocator: 'env:allocator' },
        chains: [chainOptions(world, chain)],
        feeds: { pollMs: 50, jumpQuorum: 1 },
      },
      network: 'local',
      clock,
      metrics: countingMetrics(),
      log: recordingLogger(),
      alerts,
      keys: { secp256k1: (reference: string) => (reference.includes('fill') ? fillSigner : allocatorSigner) },
      chains: { add: () => undefined },
      prices: { add: (source: PriceSource) => void sources.push(source) },
      lifecycle: {
        onStart: (task: () => Promise<void>) => void starts.push(task),
        onStop: (task: () => Promise<void>) => void stops.unshift(task),
      },
    };
    plugin.register(context as unknown as PluginContext<EvmOptions>);
    ends.push(async () => {
      for (const stop of stops) await stop();
    });
    for (const start of starts) await start();
    const [source, ...others] = sources;
    if (source === undefined || others.length > 0) throw new Error('not one source');
    return {
      source,
      alerts: () =>
        alerts
          .list()
          .map(({ message }) => message)
          .join('\n'),
    };
  }

  const now = async (): Promise<bigint> => (await testClient(world.anvil).getBlock()).timestamp;

  it('are read through the plugin: price, time, conversion, heartbeat, sequencer, wrong contracts', async () => {
    const [ether, staked] = [await deployed('ETH / USD', 8), await deployed('STAKED / ETH', 18)];
    const [empty, uptime] = [await deployed('NEW / USD', 8), await deployed('L2 Sequencer Uptime Status Feed', 0)];
    const at = await now();
    await report(ether, 302157000000n, at, at);
    await report(staked, 1_100000000000000000n, at, at);
    await report(uptime, 0n, at - 100n, at);
    const heartbeatMs = 600_000;
    const { source, alerts } = await started({
      feeds: {
        sequencer: { address: uptime, graceMs: 60_000 },
        aggregators: [
          { prices: 'ether', address: ether, heartbeatMs, description: 'ETH / USD' },
          { prices: 'staked', in: 'ether', address: staked, heartbeatMs, description: 'STAKED / ETH' },
          { prices: 'new', address: empty, heartbeatMs },
          { prices: 'token', address: world.deployed.tokens.USDC, heartbeatMs },
          { prices: 'nothing', address: `0x${'12'.repeat(20)}`, heartbeatMs },
        ],
      },
    });
    const price = (group: string) => source.price(currency(group));
    const becomes = (group: string, usd: string) =>
      eventually(
        async () => price(group),
        (got) => (typeof got === 'object' ? got.usd : got) === usd,
      );
    expect(source.id).toBe('evm-feeds');
    const reported = price('ether');
    expect(reported).toMatchObject({ usd: '3021.57' });
    expect(Math.abs(Number(at) * 1000 - (typeof reported === 'object' ? reported.at : 0))).toBeLessThan(2_000);
    await becomes('staked', '3323.727');
    for (const group of ['new', 'token', 'nothing']) expect(price(group)).toBe('stale');
    expect(alerts().match(/does not answer as an aggregator does/g)).toHaveLength(3);
    expect(price('stranger')).toBeUndefined();

    await report(ether, 310000000001n, await now(), await now());
    await becomes('ether', '3100.00000001');
    await report(uptime, 1n, await now(), await now());
    await eventually(
      async () => alerts(),
      (text) => text.includes('the sequencer is down'),
    );
    await report(uptime, 0n, (await now()) - 100n, await now());
    await eventually(
      async () => alerts(),
      (text) => !text.includes('sequencer'),
    );
    await report(ether, 310000000001n, at, (await now()) - 601n);
    await eventually(
      async () => alerts(),
      (text) => text.includes('older than its heartbeat'),
    );
    await report(ether, 311000000000n, await now(), await now());
    await becomes('ether', '3110');
  });
});
