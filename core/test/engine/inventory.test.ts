import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InventoryView } from '../../src/engine/books/inventory.js';
import { Scene } from './support/scene.js';

let scene: Scene;
const view = new InventoryView();

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

/** Quotable inventory, less one fill's fee in the same coin. */
async function available(): Promise<bigint> {
  await view.refresh(scene.context);
  return view.available(scene.context, 902, scene.destination.coin);
}

describe('what quotes may promise', () => {
  it('is less what deposits in blocks will claim, before they are decided', async () => {
    scene.origin.depth = 5;
    for (const n of [1, 2]) {
      const body = await scene.quote(n, { amountIn: '300000', amountOut: '297000' });
      await scene.sees([scene.deposit(body, `d${n}`)]);
      expect(await scene.pot('#reserved:902:filler:coin-902')).toBe(0n);
      expect(await available()).toBe(999_990n - 297_000n * BigInt(n));
    }
    await scene.sees([], {});
    for (let n = 0; n < 6; n += 1) await scene.sees([]);
    expect(await scene.pot('#reserved:902:filler:coin-902')).toBe(594_000n);
    expect(await available()).toBe(999_990n - 594_000n);
  });

  it('is not less for a trifle under the order id of a large order, nor for what waits in a pool', async () => {
    scene.origin.depth = 5;
    const [large, pooled] = [await scene.quote(1), await scene.quote(2)];
    await scene.sees([
      scene.deposit(large, 'thief', { amount: 1n }),
      scene.deposit(pooled, 'pool', { state: 'mempool', block: null }),
    ]);
    expect(await available()).toBe(999_990n);
  });

  it('is no more than the lane is allowed to pay out', async () => {
    expect(await available()).toBe(999_990n);
    Object.assign(scene.destination, { laneAllowance: () => ({ value: 300_000n, at: scene.now }) });
    expect(await available()).toBe(299_990n);
  });
});
