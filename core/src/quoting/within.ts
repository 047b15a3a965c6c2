import type { Clock } from '../contract/clock.js';

/** Longest that a quote waits for a chain. */
const DEADLINE_MS = 2_000;

const PENDING: unique symbol = Symbol('pending');

/**
 * What a chain answers, unless that takes longer than a client waits for a quote.
 *
 * Most answers come from memory and are there at once: only what is not gets a timer. A timer with its signal took 5 % of a
 * quote's processor time, and they outlived the quote by two collections.
 */
export async function within<T>(clock: Pick<Clock, 'sleep'>, answer: Promise<T>): Promise<T | 'late'> {
  const known = await Promise.race<T | typeof PENDING>([answer, PENDING]);
  if (known !== PENDING) return known;
  const over = new AbortController();
  return Promise.race([answer, clock.sleep(DEADLINE_MS, over.signal).then(() => 'late' as const)]).finally(() =>
    over.abort('over'),
  );
}
