import { definePlugin } from '@causeway/core';
import { Feed } from './feed.js';
import { type Options, optionsSchema } from './options.js';
import { priceSource } from './source.js';

/** Importing the module runs nothing; the feed is not queried before `lifecycle.onStart`. */
export const plugin = definePlugin<Options>({
  id: '__ID__',
  coreRange: '__CORE_RANGE__',
  options: optionsSchema,
  register: ({ id, options, clock, log, prices, lifecycle }) => {
    const feed = new Feed(options, clock, log);
    prices.add(priceSource(id, options, feed, clock));
    lifecycle.onStart(() => feed.start());
    lifecycle.onStop(() => feed.stop());
  },
});
