import { afterEach, beforeEach, expect, it } from 'vitest';
import { FreeSpace } from '../../src/engine/books/free-space.js';
import { POLICY, Scene } from './support/scene.js';

const FLOOR = 1_000n;

let scene: Scene;
let space: FreeSpace;
beforeEach(async () => {
  scene = await Scene.open();
  space = new FreeSpace();
});
afterEach(() => scene.close());

function refresh(freeBytes: (() => Promise<bigint>) | undefined): Promise<void> {
  const store = new Proxy(scene.context.store, {
    get: (target, name) => (name === 'freeBytes' ? freeBytes : Reflect.get(target, name, target)),
  });
  return space.refresh({ ...scene.context, store, policy: { ...POLICY, leastFreeBytes: FLOOR } });
}

/** Seconds after the last look; undefined: unreadable. */
async function look(free: bigint | undefined): Promise<boolean> {
  scene.now += 2_000;
  await refresh(() => (free === undefined ? Promise.reject(new Error('EIO')) : Promise.resolve(free)));
  return space.short();
}

const alerted = () => scene.alerts.has('disk-low');

it('is short below the floor, with an alert, and no longer once there is room', async () => {
  expect([await look(FLOOR), alerted()]).toEqual([false, false]);
  expect([await look(FLOOR - 1n), alerted()]).toEqual([true, true]);
  // Unreadable counts as full.
  expect([await look(undefined), alerted()]).toEqual([true, true]);
  expect([await look(FLOOR), alerted()]).toEqual([false, false]);
});

it('is never short where the store does not know', async () => {
  await refresh(undefined);
  expect(space.short()).toBe(false);
});
