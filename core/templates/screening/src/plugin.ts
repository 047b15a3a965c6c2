import { definePlugin } from '@causeway/core';
import { type Options, optionsSchema } from './options.js';
import { screener } from './screener.js';

/** Nothing runs before `register`. The service asks before each quote and before each payment is signed. */
export const plugin = definePlugin<Options>({
  id: '__ID__',
  coreRange: '__CORE_RANGE__',
  options: optionsSchema,
  register: ({ id, options, keys, screeners }) => {
    screeners.add(screener(id, options, keys.secret(options.token)));
  },
});
