import { definePlugin } from '@causeway/core';
import { type Options, optionsSchema } from './options.js';
import { liquiditySource } from './source.js';

/** Importing the module runs nothing. If pools must be read before the first quote, start that in `lifecycle.onStart`. */
export const plugin = definePlugin<Options>({
  id: '__ID__',
  coreRange: '__CORE_RANGE__',
  options: optionsSchema,
  register: ({ id, options, liquidity }) => {
    liquidity.add(liquiditySource(id, options));
  },
});
