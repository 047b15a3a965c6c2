import { definePlugin } from '@causeway/core';
import { notifier } from './notifier.js';
import { type Options, optionsSchema } from './options.js';

/** Nothing runs before `register`. The dispatcher of the service calls the notifier once for each event, until it is delivered. */
export const plugin = definePlugin<Options>({
  id: '__ID__',
  coreRange: '__CORE_RANGE__',
  options: optionsSchema,
  register: ({ id, options, keys, clock, notifiers }) => {
    notifiers.add(notifier(id, options, keys.secret(options.token), clock));
  },
});
