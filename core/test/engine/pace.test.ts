import { expect, it } from 'vitest';
import { Pace } from '../../src/engine/keys/pace.js';

/** A clock whose time passes in sleeps alone. */
function paced() {
  let now = 0;
  const seen: string[] = [];
  const sleep = async (ms: number) => {
    now += ms;
  };
  const pace = new Pace({ monotonic: () => now, sleep });
  const part = (name: string, size: number, ms: number) =>
    pace.take(size, async () => {
      seen.push(`${name} at ${now}`);
      await sleep(ms);
      return name;
    });
  return { part, seen };
}

it('runs large parts one after another, and leaves as much time after each as it took, at most 150 ms', async () => {
  const { part, seen } = paced();
  expect(await Promise.all([part('a', 9, 40), part('b', 25, 500), part('c', 9, 10)])).toEqual(['a', 'b', 'c']);
  expect(seen).toEqual(['a at 0', 'b at 80', 'c at 730']);
});

it('runs small parts at once', async () => {
  const { part, seen } = paced();
  const large = part('large', 9, 40);
  await Promise.all([part('small', 8, 0), part('other', 1, 0), large]);
  expect(seen.slice(0, 2)).toEqual(['small at 0', 'other at 0']);
});

it('goes on after a part that failed', async () => {
  const pace = new Pace({ monotonic: () => 0, sleep: async () => undefined });
  const failed = pace.take(9, () => Promise.reject(new Error('lost')));
  const next = pace.take(9, async () => 'next');
  await expect(failed).rejects.toThrow('lost');
  expect(await next).toBe('next');
});
