import { describe, expect, it } from 'vitest';
import { NotYetError } from '../../src/contract/not-yet.js';
import type { EngineContext } from '../../src/engine/base/context.js';
import { startFreeWorker } from '../../src/engine/rounds/worker.js';
import { LeaseLost } from '../../src/leases/tenure.js';

it('reports how long each round that ended well took, by worker', async () => {
  const reported: unknown[] = [];
  const stop = new AbortController();
  let now = 0;
  const context = {
    clock: { monotonic: () => now, sleep: async () => undefined },
    metrics: {
      count: () => undefined,
      observe: (name: string, _help: string, ms: number, labels: object) => reported.push([name, ms, labels]),
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
  expect(reported).toEqual([
    ['worker_round', 30, { worker: 'prune' }],
    ['worker_round', 7, { worker: 'prune' }],
  ]);
});

/** Logs of rounds with these errors and durations; null succeeds. */
async function logged(rounds: readonly (readonly [error: Error | null, ms: number])[]): Promise<readonly string[]> {
  const reported: string[] = [];
  const stop = new AbortController();
  let now = 0;
  const log = (level: string) => (fields: { why?: string }, message: string) =>
    reported.push([level, message, ...(fields.why === undefined ? [] : [fields.why])].join(': '));
  const context = {
    clock: { monotonic: () => now, sleep: async () => undefined },
    metrics: { count: (name: string) => reported.push(name), observe: () => undefined },
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    stopping: stop.signal,
  } as unknown as EngineContext;
  const left = [...rounds];
  const worker = startFreeWorker(context, { name: 'compare', everyMs: 1 }, async () => {
    const [error, ms] = left.shift() ?? [null, 0];
    if (left.length === 0) stop.abort();
    now += ms;
    if (error !== null) throw error;
    return false;
  });
  await worker.done;
  return reported;
}

const moved = new NotYetError('what spends the anchor is not known yet');
const OFF = ['debug: round put off: what spends the anchor is not known yet', 'worker_rounds_put_off'];

describe('a round whose question cannot be answered yet', () => {
  it('is put off, which is no failure', async () => {
    expect(await logged([[moved, 10]])).toEqual(OFF);
  });

  it('has failed where that lasts, until one ends well', async () => {
    const long = [moved, 20_000] as const;
    const failed = ['error: round failed', 'worker_failures'];
    expect(await logged([long, long, long, [null, 1], long])).toEqual([...OFF, ...OFF, ...failed, ...OFF]);
  });

  it('is another thing than one whose lease was lost, which was warned of where that happened', async () => {
    const lost = new LeaseLost('chain:1', 'the lease ended before engine.ingest');
    expect(await logged([[lost, 1]])).toEqual([`info: round ended: its lease is lost: ${lost.message}`]);
  });

  it('is another thing than one that failed', async () => {
    expect(await logged([[new Error('broken'), 1]])).toEqual(['error: round failed', 'worker_failures']);
  });
});
