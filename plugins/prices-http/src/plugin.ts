import { definePlugin, type PluginContext, PriceBoard } from '@causeway/core';
import { Feed } from './feed.js';
import { feedsOf } from './feeds-of-options.js';
import type { PricesHttpOptions } from './options.js';
import { optionsSchema } from './options-schema.js';

/** Longest wait for first prices at the start; slower providers join later. */
const START_TIMEOUT_MS = 3_000;
const REVIEW_MS = 5_000;

export const plugin = definePlugin<PricesHttpOptions>({
  id: 'prices-http',
  coreRange: '^0.1.0',
  options: optionsSchema,
  register,
});

function register(context: PluginContext<PricesHttpOptions>): void {
  const { id, options, clock, lifecycle, keys } = context;
  const settings = feedsOf(options, keys);
  const board = new PriceBoard(settings.assets, context);
  const feeds = settings.feeds.map((feed) => new Feed(feed, board, context));
  context.prices.add(board.source(id));
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
