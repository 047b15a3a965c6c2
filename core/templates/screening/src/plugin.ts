import { definePlugin } from '@causeway/core';
import { type Options, optionsSchema } from './options.js';
import { screener } from './screener.js';

/** Importing the module runs nothing. The service calls the screener before each quote and before it signs a payment. */
export const plugin = definePlugin<Options>({
  id: '__ID__',
  coreRange: '__CORE_RANGE__',
  options: optionsSchema,
  register: ({ id, options, keys, screeners }) => {
    screeners.add(screener(id, options, keys.secret(options.token)));
  },
});
