import { expect, it } from 'vitest';
import { Cleaning } from '../../src/engine/rounds/cleaning.js';

const LIVES = { anonymousMs: 6 * 3_600_000, deliveriesMs: 86_400_000 };

function scene(removed: number[] = []) {
  const calls: number[] = [];
  const lives: (number | undefined)[][] = [];
  const time = { now: 1_000 };
  const clock = { now: () => time.now, monotonic: () => time.now };
  const prune = async (now: number, ...given: (number | undefined)[]) => {
    calls.push(now);
    lives.push(given);
    return removed.shift() ?? 0;
  };
  return { cleaning: new Cleaning({ prune }, clock, 60_000, LIVES), calls, lives, time };
}

it('does not clean again because a lease was lost and won', async () => {
  const { cleaning, calls, time } = scene();
  for (let tenure = 0; tenure < 22; tenure += 1) {
    expect(await cleaning.round()).toBe(false);
    time.now += 4_000;
  }
  expect(calls).toEqual([1_000, 61_000]);
});

it('keeps what no one with a key asked for, and what was reported to others, only as long as it was reported to', async () => {
  const { cleaning, lives } = scene();
  await cleaning.round();
  expect(lives).toEqual([[6 * 3_600_000, 86_400_000]]);
});

it('goes on at once while something is left', async () => {
  const { cleaning, calls } = scene([500, 20]);
  expect([await cleaning.round(), await cleaning.round(), await cleaning.round()]).toEqual([true, true, false]);
  expect(await cleaning.round()).toBe(false);
  expect(calls).toHaveLength(3);
});

it('waits as long after a round that failed', async () => {
  const { cleaning, calls, time } = scene();
  const broken = new Cleaning(
    { prune: () => Promise.reject(new Error('gone')) },
    { now: () => 0, monotonic: () => time.now },
    60_000,
    LIVES,
  );
  await expect(broken.round()).rejects.toThrow('gone');
  expect(await broken.round()).toBe(false);
  expect(await cleaning.round()).toBe(false);
  expect(calls).toHaveLength(1);
});
