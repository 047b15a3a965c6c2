import { expect, it } from 'vitest';
import { Pace } from '../../src/engine/keys/pace.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock } from '../../src/testing/sim-clock.js';

function paced() {
  const clock = new SimClock(new SeededRandom(1));
  const stopping = new AbortController();
  const seen: string[] = [];
  const pace = new Pace(clock, stopping.signal);
  const part = (name: string, size: number, ms: number) =>
    pace.take(size, async () => {
      seen.push(`${name} at ${clock.monotonic()}`);
      await clock.sleep(ms);
      return name;
    });
  return { clock, part, seen, pace, stopping };
}

it('begins large parts one after another, and leaves as much time after each as it took', async () => {
  const { clock, part, seen } = paced();
  const all = Promise.all([part('a', 9, 40), part('b', 25, 100), part('c', 9, 10)]);
  await clock.run();
  expect(await all).toEqual(['a', 'b', 'c']);
  expect(seen).toEqual(['a at 0', 'b at 80', 'c at 280']);
});

it('lets no part wait for more than 150 ms of one before it, and as long a rest', async () => {
  const { clock, part, seen } = paced();
  const all = Promise.all([part('slow', 9, 5_000), part('next', 9, 10)]);
  await clock.run();
  await all;
  expect(seen).toEqual(['slow at 0', 'next at 300']);
});

it('begins small parts at once', async () => {
  const { clock, part, seen } = paced();
  const all = Promise.all([part('large', 9, 40), part('small', 8, 0), part('other', 1, 0)]);
  await clock.run();
  await all;
  expect(seen.slice(0, 2)).toEqual(['small at 0', 'other at 0']);
});

it('goes on after a part that failed', async () => {
  const { clock, pace } = paced();
  const failed = pace.take(9, () => Promise.reject(new Error('lost')));
  const next = pace.take(9, async () => 'next');
  const rejected = expect(failed).rejects.toThrow('lost');
  await clock.run();
  await rejected;
  expect(await next).toBe('next');
});

it('rests no more when the service stops', async () => {
  const { clock, part, seen, stopping } = paced();
  stopping.abort();
  const all = Promise.all([part('a', 9, 40), part('b', 9, 40), part('c', 9, 0)]);
  await clock.run();
  await all;
  expect(seen).toEqual(['a at 0', 'b at 40', 'c at 80']);
});
