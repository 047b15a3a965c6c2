import { expect, it } from 'vitest';
import { EndpointQueue } from '../../src/events/dispatch/endpoint-queue.js';
import { deliveryRow, endpointRow, eventRow, T0 } from '../../src/testing/store-fixtures.js';

function filled(): EndpointQueue {
  const queue = new EndpointQueue(endpointRow(1), 256);
  const due = Array.from({ length: 100 }, (_, n) => ({
    delivery: deliveryRow(n + 1, {}),
    event: { ...eventRow(n + 1), position: n + 1 },
  }));
  expect(queue.add(due, T0)).toHaveLength(100);
  return queue;
}

it('posts to an endpoint by one connection until it took something, and then by ever more, eight at most', () => {
  const queue = filled();
  expect(queue.take(T0)).toHaveLength(1);
  expect(queue.take(T0)).toEqual([]);
  expect(queue.nextAt()).toBe(Number.POSITIVE_INFINITY);
  const taken = Array.from({ length: 4 }, () => {
    queue.ended('delivered', T0, 5);
    return queue.take(T0).length;
  });
  // In flight: two, four, eight, eight.
  expect(taken).toEqual([2, 3, 5, 1]);
});

it('goes back to one where nothing is taken any more', () => {
  const queue = filled();
  for (let n = 0; n < 4; n += 1) {
    queue.take(T0);
    queue.ended('delivered', T0, 5);
  }
  queue.take(T0);
  for (let n = 0; n < 8; n += 1) queue.ended('retry', T0, 5);
  expect(queue.take(T0)).toEqual([]);
  const later = queue.nextAt();
  expect(later).toBeGreaterThan(T0);
  expect(queue.take(later)).toHaveLength(1);
});

it('counts as quick while what it is sent ends soon, and well', () => {
  const queue = filled();
  expect(queue.isQuick).toBe(false);
  queue.take(T0);
  queue.ended('delivered', T0, 5);
  expect(queue.isQuick).toBe(true);
  queue.ended('delivered', T0, 5_000);
  expect(queue.isQuick).toBe(false);
  queue.ended('delivered', T0, 5);
  queue.late();
  expect(queue.isQuick).toBe(false);
  queue.ended('delivered', T0, 5);
  queue.ended('retry', T0, 5);
  expect(queue.isQuick).toBe(false);
});
