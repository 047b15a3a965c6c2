import { definePlugin, type PluginContext } from '@causeway/core';
import type { SwapsHttpOptions } from './options.js';
import { optionsSchema } from './options-schema.js';
import { settingsOf } from './settings.js';
import { AggregatorSource } from './source.js';

export const plugin = definePlugin<SwapsHttpOptions>({
  id: 'swaps-http',
  coreRange: '^0.1.0',
  options: optionsSchema,
  register,
});

function register(context: PluginContext<SwapsHttpOptions>): void {
  const { id, options, keys, network, lifecycle, liquidity } = context;
  const source = new AggregatorSource(id, settingsOf(options, keys, network === 'local'), context);
  liquidity.add(source);
  lifecycle.onStop(async () => source.stop());
}
