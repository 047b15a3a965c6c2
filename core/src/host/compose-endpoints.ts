import { createEndpoints, type Endpoints, Sealer } from '../events/endpoints/index.js';
import type { Assembly } from './assemble.js';
import type { Runtime } from './compose-engine.js';
import { CORE } from './core-tokens.js';

export function endpointSealer({ config, container }: Assembly): Sealer {
  const { keys, service } = config;
  return new Sealer(
    service.endpointKeys.map((reference) => keys.endpointKey(reference)),
    container.resolve(CORE.random),
  );
}

/** New endpoints use the first channel that a plugin provides. */
export function composeEndpoints(assembly: Assembly, { store }: Pick<Runtime, 'store'>): Endpoints {
  const { container } = assembly;
  const [channel] = container.resolve(CORE.registries).channels.all();
  return createEndpoints({
    store,
    channel,
    sealer: endpointSealer(assembly),
    clock: container.resolve(CORE.clock),
    random: container.resolve(CORE.random),
  });
}
