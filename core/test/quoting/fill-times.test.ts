import { expect, it } from 'vitest';
import type { FillTime } from '../../src/contract/store.js';
import { createFillTimes } from '../../src/quoting/fill-times.js';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };

/** Newest first, as from the store. */
const fills = (...ms: number[]): FillTime[] => ms.map((one) => ({ originChainId: 1, destinationChainId: 2, ms: one }));

function scene() {
  const asked: [since: number, limit: number][] = [];
  const state = { now: 1_000_000_000, answer: async (): Promise<readonly FillTime[]> => [] };
  const times = createFillTimes({
    store: {
      recentFills: (since, limit) => {
        asked.push([since, limit]);
        return state.answer();
      },
    },
    clock: { now: () => state.now, monotonic: () => state.now },
    log,
  });
  /** The result of a later question. */
  const learnt = async (from = 1, to = 2) => {
    state.now += 30_000;
    times.of(from, to);
    await Promise.resolve();
    await Promise.resolve();
    return times.of(from, to);
  };
  return { asked, state, times, learnt };
}

it('answers at once, with what earlier reading found', async () => {
  const { state, times, learnt } = scene();
  state.answer = async () => fills(1_000, 2_000, 3_000, 4_000);
  expect(times.of(1, 2)).toBeUndefined();
  expect(await learnt(), 'too few to tell').toBeUndefined();
  state.answer = async () => fills(1_000, 2_000, 3_000, 4_000, 5_000);
  expect(await learnt()).toBe(4_000);
  expect(times.of(2, 1), 'the way back is another route').toBeUndefined();
});

it('is moved by no single stuck fill, and by the newest fifty alone', async () => {
  const { state, learnt } = scene();
  state.answer = async () => fills(3_600_000, ...Array.from({ length: 9 }, () => 2_000));
  expect(await learnt()).toBe(2_000);
  state.answer = async () => fills(...Array.from({ length: 50 }, () => 7_000), ...Array.from({ length: 500 }, () => 9));
  expect(await learnt()).toBe(7_000);
});

it('reads the last day, at most every half minute, and never twice at once', async () => {
  const { asked, state, times } = scene();
  state.answer = () => new Promise(() => undefined);
  times.of(1, 2);
  times.of(1, 2);
  state.now += 300_000;
  times.of(1, 2);
  expect(asked).toEqual([[1_000_000_000 - 86_400_000, 1_000]]);
  const other = scene();
  other.times.of(1, 2);
  await Promise.resolve();
  await Promise.resolve();
  other.state.now += 29_999;
  other.times.of(1, 2);
  expect(other.asked).toHaveLength(1);
  other.state.now += 1;
  other.times.of(1, 2);
  expect(other.asked).toHaveLength(2);
});

it('keeps what it knows while the store cannot be read', async () => {
  const { state, learnt } = scene();
  state.answer = async () => fills(1_000, 1_000, 1_000, 1_000, 1_000);
  expect(await learnt()).toBe(1_000);
  state.answer = () => Promise.reject(new Error('locked'));
  expect(await learnt()).toBe(1_000);
  state.answer = async () => fills(2_000, 2_000, 2_000, 2_000, 2_000);
  expect(await learnt()).toBe(2_000);
});
