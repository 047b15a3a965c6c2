import { createDispatcher, type Dispatcher } from '../events/dispatch/dispatcher.js';
import type { Assembly } from './assemble.js';
import { endpointSealer } from './compose-endpoints.js';
import type { Runtime } from './compose-engine.js';
import { CORE } from './core-tokens.js';
import { CONSUMERS } from './plugins/consumers.js';

/** Undefined if another process dispatches, or no plugin provides a notifier. */
export function composeDispatcher(assembly: Assembly, { store }: Runtime): Dispatcher | undefined {
  const { config, container, policy } = assembly;
  const registries = container.resolve(CORE.registries);
  const notifiers = registries.notifiers.takenBy(CONSUMERS.dispatcher);
  const channels = registries.channels.takenBy(CONSUMERS.dispatcher);
  if (!config.service.roles.includes('dispatcher') || notifiers.length + channels.length === 0) return undefined;
  return createDispatcher({
    store,
    notifiers,
    channels,
    sealer: endpointSealer(assembly),
    clock: container.resolve(CORE.clock),
    random: container.resolve(CORE.random),
    log: container.resolve(CORE.log).child({ part: 'dispatcher' }),
    metrics: container.resolve(CORE.metrics).view('dispatcher'),
    leaseMetrics: container.resolve(CORE.metrics).view('engine'),
    alerts: container.resolve(CORE.alerts).view('dispatcher'),
    leaseTtlMs: policy.leaseTtlMs,
  });
}
