import { definePlugin } from '@causeway/core';
import { chainAdapter } from './adapter.js';
import { type Options, optionsSchema } from './options.js';

/** Importing the module runs nothing; nodes are not queried before `lifecycle.onStart`. */
export const plugin = definePlugin<Options>({
  id: '__ID__',
  coreRange: '__CORE_RANGE__',
  options: optionsSchema,
  register: ({ options, network, keys, clock, log, chains, lifecycle }) => {
    for (const chain of options.chains) {
      const secret = keys.secret(chain.signer.key);
      const { adapter, feed } = chainAdapter(chain, network, secret, clock, log.child({ chain: chain.name }));
      chains.add(adapter);
      lifecycle.onStart(() => feed.start());
      lifecycle.onStop(() => feed.stop());
    }
  },
});
