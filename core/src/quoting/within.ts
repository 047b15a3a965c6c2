import type { Clock } from '../contract/clock.js';

/** Longest that a quote waits for a chain. */
const DEADLINE_MS = 2_000;

/** What a chain answers, unless that takes longer than a client waits for a quote. */
export async function within<T>(clock: Pick<Clock, 'sleep'>, answer: Promise<T>): Promise<T | 'late'> {
  const over = new AbortController();
  return Promise.race([answer, clock.sleep(DEADLINE_MS, over.signal).then(() => 'late' as const)]).finally(() =>
    over.abort('over'),
  );
}
