import { definePlugin } from '@causeway/core';
import { notifier } from './notifier.js';
import { type Options, optionsSchema } from './options.js';

/** Importing the module runs nothing. The service's dispatcher calls `deliver` for each event, and again after `retry`. */
export const plugin = definePlugin<Options>({
  id: '__ID__',
  coreRange: '__CORE_RANGE__',
  options: optionsSchema,
  register: ({ id, options, keys, clock, notifiers }) => {
    notifiers.add(notifier(id, options, keys.secret(options.token), clock));
  },
});
