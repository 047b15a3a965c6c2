import type { DependencyContainer } from 'tsyringe';
import type { PluginContext } from '../../contract/plugin.js';
import type { Store } from '../../contract/store.js';
import type { ConfiguredPlugin } from '../config/load-config.js';
import { CORE } from '../core-tokens.js';
import { testAccounts } from '../dev/test-accounts.js';
import { privateChains } from './registries-of-application.js';
import { routesFor } from './routes.js';

/** Everything is labelled with the plugin's id. */
export function pluginContext(
  container: DependencyContainer,
  configured: ConfiguredPlugin,
  providers: readonly string[],
  settingUp: boolean,
): PluginContext<never> {
  const { id } = configured;
  const config = container.resolve(CORE.config);
  const registries = container.resolve(CORE.registries);
  const services = container.resolve(CORE.services);
  const stores = registries.stores.for(id);
  return {
    id,
    options: configured.options as never,
    network: config.service.network,
    log: container.resolve(CORE.log).child({ plugin: id }),
    metrics: container.resolve(CORE.metrics).view(id),
    alerts: container.resolve(CORE.alerts).view(id),
    clock: container.resolve(CORE.clock),
    random: container.resolve(CORE.random),
    keys: config.keys,
    configDir: config.directory,
    settingUp,
    rehearsing: config.service.mode === 'rehearsal',
    ...(config.service.network === 'local' ? { testAccounts: testAccounts() } : {}),
    routes: routesFor(registries.routes, id),
    chains: registries.chains.for(id),
    liquidity: registries.liquidity.for(id),
    prices: registries.prices.for(id),
    screeners: registries.screeners.for(id),
    notifiers: registries.notifiers.for(id),
    channels: registries.channels.for(id),
    tracers: registries.tracers.for(id),
    signers: registries.signers.for(id),
    remoteSigner: (name) => registries.signers.named(name),
    stores: { set: (store: Store) => stores.add({ owner: id, store }) },
    privateChains: () => privateChains(registries),
    lifecycle: container.resolve(CORE.lifecycle).for(id),
    provide: (token, value) => services.provide(id, token, value),
    inject: (token) => services.inject(id, providers, token),
  };
}
