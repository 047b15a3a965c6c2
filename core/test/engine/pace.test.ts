import { expect, it } from 'vitest';
import { Pace } from '../../src/engine/keys/pace.js';

/** Its time goes on to the next end of a sleep when nothing else is left to do. */
function virtualClock() {
  let now = 0;
  const sleeping = new Set<{ readonly at: number; readonly wake: () => void }>();
  const next = () => {
    const [first] = [...sleeping].sort((a, b) => a.at - b.at);
    if (first === undefined) return;
    sleeping.delete(first);
    now = first.at;
    first.wake();
  };
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((wake) => {
      const one = { at: now + ms, wake };
      sleeping.add(one);
      const end = () => {
        sleeping.delete(one);
        wake();
      };
      if (signal?.aborted) end();
      signal?.addEventListener('abort', end);
      setImmediate(next);
    });
  return { monotonic: () => now, sleep };
}

function paced() {
  const clock = virtualClock();
  const stopping = new AbortController();
  const seen: string[] = [];
  const pace = new Pace(clock, stopping.signal);
  const part = (name: string, size: number, ms: number) =>
    pace.take(size, async () => {
      seen.push(`${name} at ${clock.monotonic()}`);
      await clock.sleep(ms);
      return name;
    });
  return { part, seen, pace, stopping };
}

it('begins large parts one after another, and leaves as much time after each as it took', async () => {
  const { part, seen } = paced();
  expect(await Promise.all([part('a', 9, 40), part('b', 25, 100), part('c', 9, 10)])).toEqual(['a', 'b', 'c']);
  expect(seen).toEqual(['a at 0', 'b at 80', 'c at 280']);
});

it('lets no part wait for more than 150 ms of one before it, and as long a rest', async () => {
  const { part, seen } = paced();
  await Promise.all([part('slow', 9, 5_000), part('next', 9, 10)]);
  expect(seen).toEqual(['slow at 0', 'next at 300']);
});

it('begins small parts at once', async () => {
  const { part, seen } = paced();
  const large = part('large', 9, 40);
  await Promise.all([part('small', 8, 0), part('other', 1, 0), large]);
  expect(seen.slice(0, 2)).toEqual(['small at 0', 'other at 0']);
});

it('goes on after a part that failed', async () => {
  const { pace } = paced();
  const failed = pace.take(9, () => Promise.reject(new Error('lost')));
  const next = pace.take(9, async () => 'next');
  await expect(failed).rejects.toThrow('lost');
  expect(await next).toBe('next');
});

it('rests no more when the service stops', async () => {
  const { part, seen, stopping } = paced();
  stopping.abort();
  await Promise.all([part('a', 9, 40), part('b', 9, 40), part('c', 9, 0)]);
  expect(seen).toEqual(['a at 0', 'b at 40', 'c at 80']);
});
