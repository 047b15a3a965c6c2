import { setTimeout as delay } from 'node:timers/promises';
import { type Currency, PriceBoard, type PriceSource } from '@causeway/core';
import { Providers } from '@causeway/core/rpc';
import { type PriceHarness, priceConformance, runConformance } from '@causeway/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { ChainFeeds } from '../../src/feeds/chain-feeds.js';
import { feedsConfig } from '../../src/feeds/feed-config.js';
import type { AggregatorOptions, ChainFeedsOptions, FeedsOptions } from '../../src/feeds/options.js';
import { identify } from '../../src/identity.js';
import { clock, countingMetrics, recordingAlerts, recordingLogger } from '../support/services.js';
import { eventually } from '../support/world.js';
import { type FakeFeed, type FakeRpc, fakeRpc } from './rpc-server.js';

const CHAIN = 31337;
const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
const feed = (answer: bigint, more: Partial<FakeFeed> = {}): FakeFeed => ({
  answer,
  decimals: 8,
  description: 'X / USD',
  ...more,
});
const aggregator = (n: number, more: Partial<AggregatorOptions> = {}): AggregatorOptions => ({
  prices: 'coin',
  address: address(n),
  heartbeatMs: 60_000,
  ...more,
});

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

const COIN = currency('coin');
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Rig {
  readonly source: PriceSource;
  readonly alerts: ReturnType<typeof recordingAlerts>;
  readonly log: ReturnType<typeof recordingLogger>;
  stop(): Promise<void>;
}

async function started(
  nodes: readonly FakeRpc[],
  ofChain: ChainFeedsOptions,
  rules: Partial<FeedsOptions> = {},
): Promise<Rig> {
  const endpoints = nodes.map(({ url }) => ({ http: url }));
  const chain = { id: CHAIN, name: 'test', displayName: 'Test', rpc: endpoints, feeds: ofChain };
  const config = feedsConfig({ chains: [chain], feeds: { pollMs: 50, jumpQuorum: 1, ...rules } });
  const chainConfig = config?.chains.get(0);
  if (config === undefined || chainConfig === undefined) throw new Error('no feeds');
  const services = { clock, log: recordingLogger(), alerts: recordingAlerts(), metrics: countingMetrics() };
  const rpc = { timeoutMs: 500, maxInFlight: 8, maxBatch: 50 };
  const providers = new Providers(
    { chainId: CHAIN, path: 'chains[0]', endpoints, identify: (client) => identify(client, CHAIN, undefined), ...rpc },
    services,
  );
  const board = new PriceBoard(config.assets, services);
  const feeds = new ChainFeeds({ id: CHAIN, name: 'test' }, chainConfig, providers, board, services);
  await providers.start();
  await feeds.start();
  board.review();
  const stop = async (): Promise<void> => {
    await feeds.stop();
    providers.stop();
  };
  return { source: board.source('feeds'), alerts: services.alerts, log: services.log, stop };
}

async function node(feeds: Record<number, FakeFeed>): Promise<FakeRpc> {
  const entries = Object.entries(feeds).map(([n, one]): [string, FakeFeed] => [address(Number(n)), one]);
  const rpc = await fakeRpc(CHAIN, new Map(entries));
  ends.push(() => rpc.stop());
  return rpc;
}

async function rig(
  nodes: readonly FakeRpc[],
  ofChain: ChainFeedsOptions,
  rules: Partial<FeedsOptions> = {},
): Promise<Rig> {
  const made = await started(nodes, ofChain, rules);
  ends.push(() => made.stop());
  return made;
}

const usd = ({ source }: Rig, of = COIN): string | undefined => {
  const price = source.price(of);
  return typeof price === 'object' ? price.usd : price;
};
const becomes = (one: Rig, expected: string | undefined) =>
  eventually(
    async () => usd(one),
    (got) => got === expected,
  );
const said = ({ alerts }: Rig): string =>
  alerts
    .list()
    .map(({ id, message }) => `${id}: ${message}`)
    .join('\n');

describe('feeds of a chain', () => {
  it('are prices of the time of their round', async () => {
    const updatedAt = BigInt(Math.floor(Date.now() / 1000) - 30);
    const one = await rig([await node({ 1: feed(302157000000n, { updatedAt }) })], { aggregators: [aggregator(1)] });
    expect(one.source.price(COIN)).toEqual({ usd: '3021.57', at: Number(updatedAt) * 1000 });
    expect(one.source.price(currency('other'))).toBeUndefined();
  });

  it('convert what is reported in another asset', async () => {
    const rpc = await node({ 1: feed(300000000000n), 2: feed(10n ** 18n + 10n ** 17n, { decimals: 18 }) });
    const aggregators = [aggregator(2, { prices: 'staked', in: 'coin' }), aggregator(1)];
    const one = await rig([rpc], { aggregators });
    expect(await becomes(one, '3000')).toBe('3000');
    await eventually(
      async () => usd(one, currency('staked')),
      (got) => got === '3300',
    );
  });

  it('say nothing while their contract is missing, wrong, or of something else, and say so', async () => {
    const feeds = { 1: feed(1n, { raw: '0x' }), 2: feed(5n, { raw: '0x1234' }), 3: feed(5n), 4: feed(500000000n) };
    const aggregators = [
      aggregator(1),
      aggregator(2, { prices: 'b' }),
      aggregator(3, { prices: 'c', description: 'C / USD' }),
      aggregator(4, { prices: 'd' }),
    ];
    const one = await rig([await node(feeds)], { aggregators });
    expect(['coin', 'b', 'c', 'd'].map((group) => usd(one, currency(group)))).toEqual(['stale', 'stale', 'stale', '5']);
    const lines = said(one);
    for (const asset of ['coin', 'b', 'c']) expect(lines).toContain(`price-${asset}: ${asset} has no fresh price`);
    expect(lines).toMatch(/feed-31337-0x0+1-coin: .* does not answer as an aggregator does/);
    expect(lines).toMatch(/feed-31337-0x0+3-c: .* says "X \/ USD" about itself, not "C \/ USD"/);
    expect(lines).not.toContain('0x0000000000000000000000000000000000000004');
  });

  it('are not believed while the sequencer is down, nor soon after', async () => {
    const long = BigInt(Math.floor(Date.now() / 1000) - 100);
    const sequencer = feed(1n, { decimals: 0, updatedAt: long });
    const rpc = await node({ 1: feed(700000000n), 9: sequencer });
    const ofChain = { aggregators: [aggregator(1)], sequencer: { address: address(9), graceMs: 60_000 } };
    const one = await rig([rpc], ofChain, { maxAgeMs: 300 });
    expect(usd(one)).toBe('stale');
    expect(said(one)).toContain('sequencer-31337: test: its price feeds are not believed: the sequencer is down');
    sequencer.answer = 0n;
    expect(await becomes(one, '7')).toBe('7');
    expect(said(one)).not.toContain('sequencer');
    sequencer.startedAt = BigInt(Math.floor(Date.now() / 1000));
    expect(await becomes(one, 'stale')).toBe('stale');
    sequencer.startedAt = long;
    expect(await becomes(one, '7')).toBe('7');
    sequencer.raw = '0x';
    expect(await becomes(one, 'stale')).toBe('stale');
  });

  it('are read from the next provider when one is gone', async () => {
    const nodes = [await node({ 1: feed(700000000n) }), await node({ 1: feed(701000000n) })];
    const one = await rig(nodes, { aggregators: [aggregator(1)] });
    expect(usd(one)).toBe('7');
    const [first] = nodes;
    if (first !== undefined) first.instead = (response) => void response.destroy();
    expect(await becomes(one, '7.01')).toBe('7.01');
    expect(one.log.lines.map(({ message }) => message)).toContain('RPC provider is down');
  });

  it('must be reported alike by as many providers as asked for', async () => {
    const lie = feed(700000000n);
    const nodes = [await node({ 1: feed(700000000n) }), await node({ 1: lie })];
    const one = await rig(nodes, { aggregators: [aggregator(1)] }, { rpcProviders: 2, maxAgeMs: 300 });
    expect(usd(one)).toBe('7');
    lie.answer = 900000000n;
    expect(await becomes(one, 'stale')).toBe('stale');
    // On a busy machine the price is too old before the providers' answers were compared.
    await expect.poll(() => said(one), { timeout: 10_000 }).toContain('RPC providers say different things about it');
    lie.answer = 702000000n;
    expect(await becomes(one, '7.01')).toBe('7.01');
    const [first] = nodes;
    if (first !== undefined) first.instead = (response) => void response.destroy();
    expect(await becomes(one, 'stale')).toBe('stale');
  });

  it('of several aggregators outvote one that lies', async () => {
    const feeds = { 1: feed(700000000n), 2: feed(702000000n), 3: feed(100000000n) };
    const aggregators = [aggregator(1), aggregator(2), aggregator(3)];
    const one = await rig([await node(feeds)], { aggregators }, { minFeeds: 2 });
    expect(await becomes(one, '7.01')).toBe('7.01');
    expect(said(one)).toContain('says 1 USD for coin, too far from the others');
  });
});

const STALE_MS = 2_000;

async function harness(): Promise<PriceHarness> {
  const feeds: Record<number, FakeFeed> = { 1: feed(3021_57n * 10n ** 16n, { decimals: 18 }), 2: feed(99980000n) };
  const entries = Object.entries(feeds).map(([n, one]): [string, FakeFeed] => [address(Number(n)), one]);
  const rpc = await fakeRpc(CHAIN, new Map(entries));
  const aggregators = [1, 2].map((n) => aggregator(n, { prices: n === 1 ? 'coin' : 'dollar', heartbeatMs: STALE_MS }));
  const made = await started([rpc], { aggregators }, { pollMs: 20, maxAgeMs: STALE_MS });
  const numberOf = ({ group }: Currency): number => (group === 'coin' ? 1 : 2);
  return {
    lacks: {},
    source: made.source,
    known: [
      { currency: COIN, usd: '3021.57' },
      { currency: currency('dollar'), usd: '0.9998' },
    ],
    unknown: [currency('other')],
    now: clock.now,
    requests: () => rpc.calls,
    pass: (ms) => delay(ms),
    staleAfterMs: STALE_MS,
    publish: async (of, text) => {
      const [whole = '', part = ''] = text.split('.');
      Object.assign(feeds[numberOf(of)] ?? {}, { answer: BigInt(whole + part.padEnd(18, '0')), decimals: 18 });
      await delay(60);
    },
    silence: (on) => {
      rpc.instead = on ? (response) => void response.destroy() : undefined;
    },
    garble: (on) => {
      const wrong = [{ answer: 0n }, { raw: '0x' as const }, { updatedAt: 0n }, { answer: -1n }];
      for (const [n, one] of Object.entries(feeds)) {
        const bad = wrong[rpc.calls % wrong.length];
        rpc.feeds.set(address(Number(n)), on ? { ...one, ...bad } : one);
      }
    },
    dispose: async () => {
      await made.stop();
      await rpc.stop();
    },
  };
}

it('holds on-chain feeds against the kit', async () => {
  const report = await runConformance(priceConformance, harness, { on: 'on-chain feeds' });
  const bad = report.cases.filter(({ outcome }) => outcome !== 'passed');
  expect(bad.map(({ name, reason }) => [name, reason])).toEqual([]);
  expect(report.cases.length).toBeGreaterThan(6);
});
