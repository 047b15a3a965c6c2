import { definePlugin, OptionError, type PluginContext } from '@causeway/core';
import type { PgOptions } from './options.js';
import { optionsSchema } from './options-schema.js';
import { pgStore } from './pg-store.js';

export const plugin = definePlugin<PgOptions>({
  id: 'storage-pg',
  coreRange: '^0.1.0',
  options: optionsSchema,
  register,
});

function register(context: PluginContext<PgOptions>): void {
  const { options, clock, random, log, metrics, alerts } = context;
  const hiddenChains = () => context.privateChains();
  const url = urlOf(context);
  context.stores.set(pgStore({ ...options, url }, { clock, random, log, metrics, alerts, hiddenChains }));
}

function urlOf({ options, keys }: PluginContext<PgOptions>): string {
  const text = /^(env|file):/.test(options.url) ? keys.secret(options.url) : options.url;
  if (URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)) return text;
  throw new OptionError('url', 'holds no URL of the form postgres://user:password@host:port/database');
}
