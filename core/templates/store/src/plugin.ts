import { definePlugin } from '@causeway/core';
import { type Options, optionsSchema } from './options.js';
import { store } from './store.js';

/** Importing the module runs nothing; the host opens the database. */
export const plugin = definePlugin<Options>({
  id: '__ID__',
  coreRange: '__CORE_RANGE__',
  options: optionsSchema,
  register: ({ options, keys, clock, log, stores, privateChains }) => {
    const url = /^(env|file):/.test(options.url) ? keys.secret(options.url) : options.url;
    stores.set(store({ url, clock, log, hiddenChains: () => privateChains() }));
  },
});
