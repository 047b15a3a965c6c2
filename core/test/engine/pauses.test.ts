import { afterEach, beforeEach, expect, it } from 'vitest';
import { isPaused, loadPauses, pauseReason, setPause } from '../../src/engine/base/pauses.js';
import { Scene } from './support/scene.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

const say = (paused: boolean, reason: string | null = null) =>
  setPause(scene.store, scene.context, 'chain:901', paused, reason);
const versions = async () => (await scene.store.pauses()).map(({ version }) => version);

it('a switch that many throw the same way at once is thrown once', async () => {
  await Promise.all(Array.from({ length: 30 }, () => say(true)));
  expect(isPaused(scene.context, 901, 902)).toBe('chain');
  expect(await versions()).toEqual([1]);
  await say(true, 'another reason');
  await say(false);
  expect(isPaused(scene.context, 901, 902)).toBeNull();
  expect(await versions()).toEqual([3]);
});

it('what another process has written already takes effect here, too', async () => {
  await say(true);
  scene.context.pauses.clear();
  await say(true);
  expect(isPaused(scene.context, 901, 902)).toBe('chain');
});

it('reports why the widest switch was thrown, also where another process threw it', async () => {
  expect(pauseReason(scene.context, 901, 902)).toBeNull();
  await setPause(scene.store, scene.context, 'route:901-902', true, 'the route is mended');
  expect(pauseReason(scene.context, 901, 902)).toBe('the route is mended');
  expect(pauseReason(scene.context, 902, 901)).toBeNull();
  await say(true, 'the chain is mended');
  scene.context.pauses.clear();
  await loadPauses(scene.context);
  expect(pauseReason(scene.context, 901, 902)).toBe('the chain is mended');
  await say(true);
  expect(pauseReason(scene.context, 901, 902)).toBeNull();
  await say(false);
  expect(pauseReason(scene.context, 901, 902)).toBe('the route is mended');
});
