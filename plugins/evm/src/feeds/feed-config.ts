import { assertNoCircle, type Hex, OptionError, type PricedAsset, readPrice } from '@causeway/core';
import { parseAddress } from '../addresses.js';
import type { EvmOptions } from '../options.js';
import { type AggregatorOptions, FEED_DEFAULTS, type FeedsOptions } from './options.js';

export interface Aggregator {
  readonly address: Hex;
  readonly asset: string;
  readonly in?: string;
  readonly heartbeatMs: number;
  readonly description?: string;
  /** Scaled by 10^18; answers at or beyond them are rejected. */
  readonly min?: bigint;
  readonly max?: bigint;
}

export interface ChainFeedsConfig {
  readonly aggregators: readonly Aggregator[];
  readonly sequencer?: { readonly address: Hex; readonly graceMs: number };
  readonly pollMs: number;
  readonly maxAgeMs: number;
  readonly rpcProviders: number;
  readonly outlierBps: bigint;
}

export interface FeedsConfig {
  readonly assets: readonly PricedAsset[];
  readonly chains: ReadonlyMap<number, ChainFeedsConfig>;
}

/** Undefined when no chain lists feeds. @throws OptionError for what the schema cannot check. */
export function feedsConfig(options: EvmOptions): FeedsConfig | undefined {
  const rules = { ...FEED_DEFAULTS, ...options.feeds };
  const chains = new Map<number, ChainFeedsConfig>();
  for (const [index, chain] of options.chains.entries()) {
    if (chain.feeds === undefined) continue;
    const where = `chains[${index}].feeds`;
    const { sequencer } = chain.feeds;
    if (chain.rpc !== 'devnet' && rules.rpcProviders > chain.rpc.length) {
      const message = `asks ${rules.rpcProviders} providers to say the same, and chain ${chain.id} has ${chain.rpc.length}`;
      throw new OptionError('feeds.rpcProviders', message);
    }
    const { pollMs, maxAgeMs, rpcProviders, outlierBps } = rules;
    chains.set(index, {
      aggregators: chain.feeds.aggregators.map((one, n) => aggregator(one, `${where}.aggregators[${n}]`)),
      ...(sequencer && {
        sequencer: {
          address: contract(sequencer.address, `${where}.sequencer.address`),
          graceMs: sequencer.graceMs ?? 3_600_000,
        },
      }),
      pollMs,
      maxAgeMs,
      rpcProviders,
      outlierBps: BigInt(outlierBps),
    });
  }
  return chains.size === 0 ? undefined : { assets: assetsOf(chains, rules), chains };
}

function assetsOf(chains: ReadonlyMap<number, ChainFeedsConfig>, rules: FeedsOptions): readonly PricedAsset[] {
  const byAsset = new Map<string, string[]>();
  const listed = [...chains].flatMap(([index, { aggregators }]) =>
    aggregators.map((one, n) => ({ ...one, where: `chains[${index}].feeds.aggregators[${n}]`, index })),
  );
  for (const { asset, address, index, where } of listed) {
    const feeds = byAsset.get(asset) ?? [];
    const feed = `${index}:${address}`;
    if (feeds.includes(feed)) throw new OptionError(`${where}.address`, `this feed prices ${asset} twice`);
    byAsset.set(asset, [...feeds, feed]);
  }
  for (const { in: unit, where } of listed) {
    if (unit === undefined || byAsset.has(unit)) continue;
    throw new OptionError(`${where}.in`, `no aggregator prices "${unit}", so nothing converts it`);
  }
  const links = new Map([...byAsset.keys()].map((name): [string, string[]] => [name, []]));
  for (const { asset, in: unit } of listed) if (unit !== undefined) links.get(asset)?.push(unit);
  try {
    assertNoCircle(links);
  } catch (error) {
    throw new OptionError('chains', error instanceof Error ? error.message : String(error));
  }
  const { minFeeds, outlierBps, jumpBps, jumpQuorum, jumpHoldMs } = rules;
  for (const [name, feeds] of byAsset) {
    if (feeds.length >= minFeeds) continue;
    const message = `${minFeeds} must agree, and ${feeds.length} price ${name}: it would never have a price`;
    throw new OptionError('feeds.minFeeds', message);
  }
  const jumps = { jumpBps: BigInt(jumpBps), jumpQuorum, jumpHoldMs };
  const asked = { minProviders: minFeeds, outlierBps: BigInt(outlierBps), ...jumps };
  return [...byAsset.keys()].map((name) => ({ name, rules: asked }));
}

function aggregator(options: AggregatorOptions, where: string): Aggregator {
  const { prices, in: unit, heartbeatMs, description, min, max } = options;
  return {
    address: contract(options.address, `${where}.address`),
    asset: prices.toLowerCase(),
    ...(unit === undefined ? {} : { in: unit.toLowerCase() }),
    heartbeatMs,
    ...(description === undefined ? {} : { description }),
    ...limit('min', min, where),
    ...limit('max', max, where),
  };
}

function limit(name: 'min' | 'max', text: string | undefined, where: string): { min?: bigint; max?: bigint } {
  if (text === undefined) return {};
  const price = readPrice(text);
  if (price === undefined) throw new OptionError(`${where}.${name}`, 'is no price above zero; leave it out');
  return { [name]: price };
}

function contract(text: string, where: string): Hex {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new OptionError(where, parsed.reason);
  return parsed.value as Hex;
}
