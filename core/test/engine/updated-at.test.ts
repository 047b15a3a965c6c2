import { afterEach, beforeEach, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import { Scene } from './support/scene.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

it('an excess that is sent back after the fill moves `updatedAt` when it lands, and its finality does not', async () => {
  const body = await scene.quote(1);
  await scene.sees([scene.deposit(body, 'a', { amount: 130_000n })]);
  await scene.settles(scene.destination);
  scene.destination.lands('filler:0', 501, { ok: true, final: true });
  await scene.tracks(scene.destination);
  const updatedAt = async () => {
    const { status, updatedAt } = await scene.request(body);
    expect(status).toBe('success');
    return updatedAt;
  };
  const filled = await updatedAt();
  scene.now += 1_000;
  await scene.finalises(150);
  expect(await updatedAt()).toBe(filled);
  scene.now += 1_000;
  await scene.settles(scene.origin);
  expect(await updatedAt()).toBe(filled);
  scene.now += 1_000;
  scene.origin.lands('filler:0', 160, { ok: true, final: false });
  await scene.tracks(scene.origin);
  const landed = await updatedAt();
  expect(landed).toBe(scene.now);
  scene.now += 1_000;
  scene.origin.lands('filler:0', 160, { ok: true, final: true });
  await scene.tracks(scene.origin);
  expect((await scene.leg(legId.excess('901:a:0')))?.state).toBe('done');
  expect(await updatedAt()).toBe(landed);
});
