import { expect, it } from 'vitest';
import type { Logger, Metrics } from '../../src/contract/index.js';
import { CommitUnknownError, StoreUnavailableError } from '../../src/contract/store.js';
import { createDispatcher } from '../../src/events/dispatch/dispatcher.js';
import { type MemoryStore, memoryStore } from '../../src/testing/index.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock } from '../../src/testing/sim-clock.js';
import { changeSet, eventRow, insert, requestId } from '../../src/testing/store-fixtures.js';
import { Recipient } from './support/post.js';

const SEEDS = process.env['CAUSEWAY_NIGHTLY'] ? 200 : 15;
const REQUESTS = 12;
const MINUTE = 60_000;

const quiet = () => undefined;
const log: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
const metrics: Metrics = { count: quiet, gauge: quiet, observe: quiet };
const alerts = { raise: quiet, clear: quiet, list: () => [] };

/** Random failures before a write, after it, or ambiguous. */
function failing(store: MemoryStore, dice: SeededRandom, isFailing: () => boolean): MemoryStore {
  const reads = new Set(['events', 'endpoints', 'openDeliveries', 'dueDeliveries', 'firstDue', 'meta', 'claimLeases']);
  return new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') return member;
      const call = (...args: unknown[]): unknown => (member as (...args: unknown[]) => unknown).apply(target, args);
      if (name === 'apply')
        return async (...args: unknown[]) => {
          if (isFailing() && dice.chance(0.1)) throw new StoreUnavailableError('locked');
          const outcome = await call(...args);
          if (isFailing() && dice.chance(0.1)) throw new CommitUnknownError('the connection was lost');
          return outcome;
        };
      if (reads.has(String(name)))
        return async (...args: unknown[]) => {
          if (isFailing() && dice.chance(0.05)) throw new StoreUnavailableError('away');
          return call(...args);
        };
      return call;
    },
  });
}

async function play(seed: number): Promise<void> {
  const dice = new SeededRandom(`dispatch ${seed}`);
  const clock = new SimClock(new SeededRandom(seed));
  const store = memoryStore({ clock });
  await store.open();
  const endpoints = ['one', 'two'].map((id) => new Recipient(id, clock));
  let isFailing = true;
  for (const endpoint of endpoints) {
    endpoint.takes = dice.between(0, 2_000);
    endpoint.answers = () => (isFailing && dice.chance(0.3) ? dice.pick(['fails', 'lost', 'throws'] as const) : 'ok');
  }
  const processes = new Set<ReturnType<typeof clock.process>>();
  const spawn = async (): Promise<void> => {
    const [own, another] = [clock.process(), store.another()];
    await another.open();
    const held = failing(another, dice, () => isFailing);
    const random = new SeededRandom(`process ${seed} ${clock.steps}`);
    const one = createDispatcher({
      ...{
        store: held,
        notifiers: endpoints,
        clock: own,
        random,
        log,
        metrics,
        leaseMetrics: metrics,
        alerts,
        leaseTtlMs: 3_000,
        pollMs: 500,
      },
    });
    const begun = async (): Promise<void> => {
      for (;;) {
        try {
          return await one.start();
        } catch {
          await own.sleep(500);
        }
      }
    };
    void begun();
    processes.add(own);
  };
  await spawn();
  await spawn();
  await clock.advance(20_000);

  const sequences = new Map<number, number>();
  for (let step = 0; step < 60; step += 1) {
    const events = Array.from({ length: dice.between(0, 6) }, () => {
      const request = dice.between(1, REQUESTS);
      const sequence = (sequences.get(request) ?? 0) + 1;
      sequences.set(request, sequence);
      return insert(
        'events',
        eventRow(request, { id: `${request}:${sequence}`, requestId: requestId(request), sequence }),
      );
    });
    if (events.length > 0) await store.apply(changeSet(...events));
    const drawn = dice.pick([...processes]);
    if (dice.chance(0.08)) {
      drawn.kill();
      processes.delete(drawn);
      await spawn();
    } else if (drawn.paused) {
      drawn.resume();
    } else if (dice.chance(0.1)) {
      drawn.pause();
    }
    await clock.advance(dice.between(10, 60_000));
  }
  isFailing = false;
  for (const one of processes) if (one.paused) one.resume();
  const requests = Array.from({ length: REQUESTS }, (_, n) => requestId(n + 1));
  const isOver = async (): Promise<boolean> => {
    const last = await store.feedEnd();
    const marks = await Promise.all([...Array(8).keys()].map((n) => store.meta(`dispatch:${n}`)));
    const read = marks.filter((mark) => mark !== undefined).every(({ value }) => Number(value) === last);
    return read && (await store.openDeliveries(requests)).length === 0;
  };
  for (let n = 0; n < 40 && !(await isOver()); n += 1) await clock.advance(10 * MINUTE);

  const all = [...sequences].flatMap(([request, last]) =>
    Array.from({ length: last }, (_, n) => `${request}:${n + 1}`),
  );
  for (const endpoint of endpoints) {
    expect([...endpoint.first()].sort(), `seed ${seed}: none is lost`).toEqual([...all].sort());
    const reached = new Map<string, number>();
    for (const { requestId: request, sequence } of endpoint.arrived) {
      const before = reached.get(request) ?? 0;
      expect(sequence, `seed ${seed}: an event before the one before it`).toBeLessThanOrEqual(before + 1);
      reached.set(request, Math.max(before, sequence));
    }
  }
  expect(await isOver(), `seed ${seed}: all is over`).toBe(true);
}

it(`loses none and keeps the order of each request, ${SEEDS} times through kills, pauses and outages`, async () => {
  for (let seed = 0; seed < SEEDS; seed += 1) await play(seed);
}, 300_000);
