import type { ChainId, LiquiditySource, PluginContext, SwapQuote, SwapWish } from '@causeway/core';
import type { EvmAdapter } from '../evm-adapter.js';
import type { EvmOptions } from '../options.js';
import { type SwapConfig, swapConfig } from './config.js';
import { pairRouter } from './pair-router.js';
import { PoolFeed } from './pool-feed.js';
import { RouterVenue } from './router-venue.js';
import { poolRouter } from './v3/pool-router.js';
import type { Venue } from './venue.js';
import { wrapping } from './wrapping.js';

const SOURCES = ['uniswap-v2', 'uniswap-v3', 'wrapped-native'] as const;
type SourceId = (typeof SOURCES)[number];

/**
 * Adds a liquidity source per kind of venue. Call it after the start tasks of the chains are registered: pools are read
 * through their providers.
 */
export function registerSwaps(context: PluginContext<EvmOptions>, adapters: readonly EvmAdapter[]): void {
  const { id, options, lifecycle, liquidity, log } = context;
  const venues = new Map<SourceId, Map<ChainId, Venue>>(SOURCES.map((name) => [name, new Map()]));
  for (const [index, chain] of options.chains.entries()) {
    const config = swapConfig(chain, index);
    const adapter = adapters[index];
    if (config === undefined || adapter === undefined) continue;
    const services = { ...context, log: log.child({ chain: adapter.facts.name }) };
    const feed = new PoolFeed(adapter.facts, config, adapter.providers, services);
    lifecycle.onStart(async () => adapter.onHead((head) => feed.onHead(head)));
    lifecycle.onStop(() => feed.stop());
    for (const [name, venue] of venuesOf(config, feed)) venues.get(name)?.set(adapter.facts.id, venue);
  }
  for (const [name, chains] of venues)
    if (chains.size > 0) liquidity.add(sourceOf(id === 'evm' ? name : `${id}-${name}`, chains));
}

function venuesOf({ pairs, pools, wrapped, maxHops }: SwapConfig, feed: PoolFeed): readonly [SourceId, Venue][] {
  const found: [SourceId, Venue][] = [['wrapped-native', wrapping(wrapped, () => feed.height)]];
  if (pairs)
    found.push(['uniswap-v2', new RouterVenue(() => feed.known('pair'), pairRouter(pairs.router), wrapped, maxHops)]);
  if (pools)
    found.push(['uniswap-v3', new RouterVenue(() => feed.known('pool'), poolRouter(pools.router), wrapped, maxHops)]);
  return found;
}

function sourceOf(id: string, venues: ReadonlyMap<ChainId, Venue>): LiquiditySource {
  const at = (chainId: ChainId): Venue => {
    const venue = venues.get(chainId);
    if (!venue) throw new Error(`${id} has no chain ${chainId}`);
    return venue;
  };
  return {
    id,
    supports: (chainId) => venues.has(chainId),
    quote: (wish: SwapWish) => at(wish.chainId).quote(wish),
    calls: (wish: SwapWish, quote: SwapQuote, parties) => at(wish.chainId).calls(wish, quote, parties),
  };
}
