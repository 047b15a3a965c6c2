import { beforeEach, expect, it } from 'vitest';
import type { Logger } from '../../src/contract/index.js';
import type { DueDelivery } from '../../src/contract/store.js';
import { StoreUnavailableError } from '../../src/contract/store.js';
import { EndpointQueue } from '../../src/events/dispatch/endpoint-queue.js';
import { type RefillDeps, refill } from '../../src/events/dispatch/refill.js';
import { deliveryRow, endpointRow, eventRow, T0 } from '../../src/testing/store-fixtures.js';

const quiet = () => undefined;
const log: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };

let now = T0;
let broken: Set<string>;
let asked: string[][];
let lookedUp: string[][];
let alerts: Set<string>;
let deps: RefillDeps;
let backlog: number;

const idOf = (n: number) => `endpoint-${n}`;
const due = (endpointId: string, n: number): DueDelivery => ({
  delivery: deliveryRow(n, { id: `${endpointId}/event-${n}`, endpointId, dueAt: T0 }),
  event: { ...eventRow(n), position: n },
});

beforeEach(() => {
  now = T0;
  [broken, asked, lookedUp, alerts, backlog] = [new Set(), [], [], new Set(), 3];
  deps = {
    store: {
      dueDeliveries: async (endpoints, _, each) => {
        asked.push([...endpoints]);
        if (endpoints.some((id) => broken.has(id))) throw new Error('an event is missing');
        return endpoints.flatMap((id) => Array.from({ length: Math.min(each, backlog) }, (__, n) => due(id, n + 1)));
      },
      firstDue: async (endpoints) => {
        lookedUp.push([...endpoints]);
        return [];
      },
    },
    ...{ clock: { now: () => now }, log, metrics: { count: quiet, gauge: quiet, observe: quiet } },
    alerts: { raise: (id) => void alerts.add(id), clear: (id) => void alerts.delete(id), list: () => [] },
  };
});

function queues(count: number): EndpointQueue[] {
  return Array.from({ length: count }, (_, n) => {
    const queue = new EndpointQueue(endpointRow(n), 16);
    queue.readFrom(T0);
    return queue;
  });
}

/** All ready deliveries in turn. */
function takenFrom(queue: EndpointQueue): readonly DueDelivery[] {
  const all: DueDelivery[] = [];
  for (let some = queue.take(now); some.length > 0; some = queue.take(now)) {
    all.push(...some);
    for (const _ of some) queue.ended('delivered', now);
  }
  return all;
}

it('reads for hundreds of endpoints in a few statements, and for none whose time has not come', async () => {
  const all = queues(125);
  await refill(all, 1_000, deps);
  expect(asked.map((ids) => ids.length)).toEqual([32, 32, 32, 29]);
  expect(lookedUp).toEqual([all.map(({ endpoint }) => endpoint.id)]);
  for (const queue of all) expect(takenFrom(queue)).toHaveLength(3);
  await refill(all, 1_000, deps);
  expect(asked).toHaveLength(4);
  for (const queue of all) queue.readFrom(T0 + 1);
  await refill(all, 1_000, deps);
  expect(asked).toHaveLength(4);
});

it('keeps of each no more than its share, and reads the rest when there is room', async () => {
  backlog = 1_000;
  const [queue] = queues(1) as [EndpointQueue];
  await refill([queue], 1_000, deps);
  expect(lookedUp).toEqual([]);
  expect(queue.room(now)).toBe(0);
  const taken = [...queue.take(now)];
  while (taken.length < 16) {
    queue.ended('delivered', now);
    taken.push(...queue.take(now));
  }
  expect(taken).toHaveLength(16);
  expect(queue.take(now)).toEqual([]);
  // All may return until their results are durable.
  expect(queue.room(now)).toBe(32);
  await refill([queue], 1_000, deps);
  for (let n = 0; n < 8; n += 1) queue.ended('delivered', now);
  const more = queue.take(now).map(({ delivery }) => delivery.id);
  expect(more).toHaveLength(8);
  expect(taken.map(({ delivery }) => delivery.id)).not.toEqual(expect.arrayContaining(more.slice(0, 1)));
});

it('puts on hold an endpoint whose deliveries cannot be read, reports it, and lets no other wait', async () => {
  const all = queues(40);
  broken.add(idOf(7));
  await refill(all, 1_000, deps);
  for (const queue of all) expect(takenFrom(queue)).toHaveLength(queue.endpoint.id === idOf(7) ? 0 : 3);
  expect([...alerts]).toEqual([`unreadable:${idOf(7)}`]);
  const before = asked.length;
  all[7]?.readFrom(T0);
  await refill(all, 1_000, deps);
  expect(asked).toHaveLength(before);
  broken.clear();
  now += 60_000;
  expect(all[7]?.nextAt()).toBe(now);
  await refill(all, 1_000, deps);
  expect(takenFrom(all[7] as EndpointQueue)).toHaveLength(3);
  expect([...alerts]).toEqual([]);
});

it('sets no one on hold while the store is away', async () => {
  const away = {
    ...deps,
    store: { ...deps.store, dueDeliveries: () => Promise.reject(new StoreUnavailableError('away')) },
  };
  const all = queues(3);
  await expect(refill(all, 1_000, away)).rejects.toThrow('away');
  await refill(all, 1_000, deps);
  for (const queue of all) expect(takenFrom(queue)).toHaveLength(3);
});
