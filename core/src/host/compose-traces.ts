import { TraceRecorder } from '../tracing/trace-recorder.js';
import type { Assembly } from './assemble.js';
import type { Runtime } from './compose-engine.js';
import { CORE } from './core-tokens.js';
import { CONSUMERS } from './plugins/consumers.js';

/** Undefined where no plugin takes traces, and in processes that do not work: others record. */
export function composeTraces({ config, container }: Assembly, { store }: Runtime): TraceRecorder | undefined {
  const tracers = container.resolve(CORE.registries).tracers.takenBy(CONSUMERS.traces);
  if (tracers.length === 0 || !config.service.roles.includes('worker')) return undefined;
  const log = container.resolve(CORE.log).child({ part: 'traces' });
  return new TraceRecorder({ store, tracers, clock: container.resolve(CORE.clock), log });
}
