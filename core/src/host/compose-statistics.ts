import { StatisticsRecorder } from '../statistics/recorder.js';
import type { Assembly } from './assemble.js';
import type { Runtime } from './compose-engine.js';
import { CORE } from './core-tokens.js';

/** Undefined in processes that do not work: others count. */
export function composeStatistics({ config, container }: Assembly, { store }: Runtime): StatisticsRecorder | undefined {
  if (!config.service.roles.includes('worker')) return undefined;
  const log = container.resolve(CORE.log).child({ part: 'statistics' });
  return new StatisticsRecorder({ store, clock: container.resolve(CORE.clock), log });
}
