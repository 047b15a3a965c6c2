import { createEndpoints, type Endpoints, Sealer } from '../events/endpoints/index.js';
import type { Assembly } from './assemble.js';
import type { Runtime } from './compose-engine.js';
import { CORE } from './core-tokens.js';

/** Opens and encrypts the secrets of registered endpoints. */
export function endpointSealer({ config, container }: Assembly): Sealer {
  const { keys, service } = config;
  return new Sealer(
    service.endpointKeys.map((reference) => keys.endpointKey(reference)),
    container.resolve(CORE.random),
  );
}

/** What integrators and operators do with endpoints. New ones are told by the first channel that a plugin brings. */
export function composeEndpoints(assembly: Assembly, { store }: Runtime): Endpoints {
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
