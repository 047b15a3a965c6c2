import { expect, it } from 'vitest';
import type { EngineContext } from '../../src/engine/context.js';
import { startFreeWorker } from '../../src/engine/worker.js';

it('tells how long each round that ended well took, by worker', async () => {
  const told: unknown[] = [];
  const stop = new AbortController();
  let now = 0;
  const context = {
    clock: { monotonic: () => now, sleep: async () => undefined },
    metrics: {
      count: () => undefined,
      observe: (name: string, _help: string, ms: number, labels: object) => told.push([name, ms, labels]),
    },
    log: { error: () => undefined },
    stopping: stop.signal,
  } as unknown as EngineContext;
  const takes = [30, -1, 7];
  const worker = startFreeWorker(context, { name: 'prune', everyMs: 1 }, async () => {
    const took = takes.shift() ?? 0;
    if (takes.length === 0) stop.abort();
    if (took < 0) throw new Error('broken');
    now += took;
    return false;
  });
  await worker.done;
  expect(told).toEqual([
    ['worker_round', 30, { worker: 'prune' }],
    ['worker_round', 7, { worker: 'prune' }],
  ]);
});
