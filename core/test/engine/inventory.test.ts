import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InventoryView } from '../../src/engine/inventory.js';
import { Scene } from './support/scene.js';

let scene: Scene;
const view = new InventoryView();

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

/** What quotes see: less the fee of one fill, which is paid in the same coin here. */
async function available(): Promise<bigint> {
  await view.refresh(scene.context);
  return view.available(scene.context, 902, scene.destination.coin);
}

describe('what quotes may promise', () => {
  it('is no more than the lane is allowed to pay out', async () => {
    expect(await available()).toBe(999_990n);
    Object.assign(scene.destination, { laneAllowance: () => ({ value: 300_000n, at: scene.now }) });
    expect(await available()).toBe(299_990n);
  });
});
