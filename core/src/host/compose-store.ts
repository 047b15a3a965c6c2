import { resolve } from 'node:path';
import type { Store } from '../contract/store.js';
import { sqliteStore } from '../store/index.js';
import type { Assembly } from './assemble.js';
import { CORE } from './core-tokens.js';
import { CONSUMERS } from './plugins/consumers.js';
import { privateChains } from './plugins/registries-of-application.js';

/** A plugin's store, else the embedded one. @param file of the embedded database, overriding the config's. */
export function composeStore({ config, container }: Assembly, file = databaseFile(config)): Store {
  const registries = container.resolve(CORE.registries);
  const brought = registries.stores.takenBy(CONSUMERS.store);
  const chosen = brought.find(({ owner }) => owner === config.bindings.store) ?? brought[0];
  if (chosen) return chosen.store;
  const embedded = sqliteStore({
    file,
    memory: config.service.database.memory,
    clock: container.resolve(CORE.clock),
    log: container.resolve(CORE.log).child({ part: 'store' }),
    metrics: container.resolve(CORE.metrics).view('store'),
    hiddenChains: () => privateChains(registries),
  });
  return container.resolve(CORE.instrument)('stores', embedded);
}

export function databaseFile(config: Assembly['config']): string {
  return resolve(config.directory, config.service.database.file);
}
