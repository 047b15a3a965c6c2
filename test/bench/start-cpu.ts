import { World } from '../support/world.js';
import { cpuMs } from './pinned.js';
import { type Bench, percentile } from './report.js';

const RUNS = 3;
const GOAL_MS = 800;
/** Measured: 2.6. */
const MIN_RATIO = 2;

/**
 * Processor time of a service until it is ready, from the bundle and from the built files, alternating; chains are not
 * counted.
 */
export const startCpuBench: Bench = {
  name: 'start-cpu',
  about: 'processor time of a start until ready, two EVM chains',
  async run() {
    const built: number[] = [];
    const bundled: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      built.push(await startOnce({ CAUSEWAY_BUNDLE: 'off' }));
      bundled.push(await startOnce({}));
    }
    const [baseline, start] = [percentile(built, 0.5), percentile(bundled, 0.5)];
    return [
      { name: 'from the built files (baseline)', value: `${baseline} ms` },
      {
        name: 'from the bundle',
        value: `${start} ms, ${(baseline / start).toFixed(2)} times as fast`,
        ratio: baseline / start,
        goal: `<= ${GOAL_MS} ms; at least ${MIN_RATIO} times as fast`,
        ok: baseline / start >= MIN_RATIO,
      },
    ];
  },
};

/** Milliseconds of all threads. */
async function startOnce(env: Readonly<Record<string, string>>): Promise<number> {
  const world = await World.prepare();
  try {
    await world.boot(env);
    return cpuMs(world.service.pid);
  } finally {
    await world.close();
  }
}
