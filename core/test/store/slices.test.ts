import { expect, it } from 'vitest';
import { inSlices, type Slicing } from '../../src/store/sqlite/slices.js';

const SLICING: Slicing = { first: 100, most: 500, sliceMs: 25, wholeMs: 5_000 };

/** Time per row plus a queue delay. */
function scene(rows: number, msPerRow: number, queueMs = 0) {
  const time = { now: 0, slept: 0 };
  const clock = {
    monotonic: () => time.now,
    sleep: async (ms: number) => {
      time.now += ms;
      time.slept += ms;
    },
  };
  const sizes: number[] = [];
  const took: number[] = [];
  let left = rows;
  const slice = async (size: number, begun: () => void) => {
    time.now += queueMs;
    begun();
    const seen = Math.min(size, left);
    left -= seen;
    sizes.push(size);
    took.push(seen * msPerRow);
    time.now += seen * msPerRow;
    return { seen, gone: seen };
  };
  return { run: () => inSlices(clock, SLICING, slice), sizes, took, time, left: () => left };
}

it('takes larger slices while they are quick, and never more than its most', async () => {
  const { run, sizes, left } = scene(2_000, 0.001);
  expect(await run()).toBe(2_000);
  expect(sizes).toEqual([100, 200, 400, 500, 500, 500]);
  expect(left()).toBe(0);
});

it('takes smaller slices once one takes long', async () => {
  const { run, took, sizes } = scene(1_000, 1);
  await run();
  expect(took.slice(0, 3)).toEqual([100, 50, 50]);
  expect(Math.max(...sizes.slice(1))).toBe(50);
});

it('leaves half of the time to others, and does not take waiting for them for its own', async () => {
  const { run, sizes, took, time } = scene(1_000, 0.02, 40);
  await run();
  expect(sizes.at(-1)).toBe(500);
  expect(time.slept).toBeCloseTo(took.slice(0, -1).reduce((sum, one) => sum + one, 0));
});

it('ends in time and leaves the rest for the next round', async () => {
  const { run, time, left } = scene(1_000_000, 1);
  const gone = await run();
  expect(time.now).toBeLessThan(5_100);
  expect(gone).toBe(1_000_000 - left());
  expect(gone).toBeGreaterThan(2_000);
});
