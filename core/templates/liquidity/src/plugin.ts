import { definePlugin } from '@causeway/core';
import { type Options, optionsSchema } from './options.js';
import { liquiditySource } from './source.js';

/** Nothing runs before `register`. What has to be read beforehand is read from `lifecycle.onStart` on. */
export const plugin = definePlugin<Options>({
  id: '__ID__',
  coreRange: '__CORE_RANGE__',
  options: optionsSchema,
  register: ({ id, options, liquidity }) => {
    liquidity.add(liquiditySource(id, options));
  },
});
