import { type PluginContext, PriceBoard } from '@causeway/core';
import type { EvmAdapter } from '../evm-adapter.js';
import type { EvmOptions } from '../options.js';
import { ChainFeeds } from './chain-feeds.js';
import { feedsConfig } from './feed-config.js';

const START_TIMEOUT_MS = 3_000;
const REVIEW_MS = 5_000;

/**
 * One price source for the feeds of all chains. Call it after the start tasks of the chains were registered: it uses their
 * providers.
 */
export function registerFeeds(context: PluginContext<EvmOptions>, adapters: readonly EvmAdapter[]): void {
  const config = feedsConfig(context.options);
  if (config === undefined) return;
  const { clock, lifecycle, log } = context;
  const board = new PriceBoard(config.assets, context);
  const feeds = [...config.chains].flatMap(([index, ofChain]) => {
    const adapter = adapters[index];
    if (adapter === undefined) return [];
    const services = { ...context, log: log.child({ chain: adapter.facts.name }) };
    return [new ChainFeeds(adapter.facts, ofChain, adapter.providers, board, services)];
  });
  context.prices.add(board.source(`${context.id}-feeds`));
  let stopReviews = (): void => undefined;
  lifecycle.onStart(async () => {
    const patience = new AbortController();
    const first = Promise.all(feeds.map((feed) => feed.start()));
    await Promise.race([first, clock.sleep(START_TIMEOUT_MS, patience.signal)]);
    patience.abort();
    board.review();
    stopReviews = clock.every(REVIEW_MS, () => board.review());
  });
  lifecycle.onStop(async () => {
    stopReviews();
    await Promise.all(feeds.map((feed) => feed.stop()));
  });
}
