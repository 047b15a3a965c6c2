import type { Clock } from '../../contract/clock.js';

/** One transaction of a work that has many. @returns rows that it looked at and rows that went. */
export interface Slice {
  readonly seen: number;
  readonly gone: number;
}

export interface Slicing {
  /** Rows of the first slice. */
  readonly first: number;
  /** Rows of a slice at most, however quick they are. */
  readonly most: number;
  /** What one slice may take. The next is half as long where it took longer. */
  readonly sliceMs: number;
  /** What the whole may take; what is left then is for the next time. */
  readonly wholeMs: number;
}

/** What a transaction costs whatever it holds is not paid for fewer rows than these. */
const LEAST = 50;

/**
 * Works through rows by slices that are bounded by count and by time: another writer on the same connection waits for one
 * slice at most. After each slice it rests for as long as the slice took, so that others have the connection half of the time.
 *
 * @param slice works on up to so many rows and answers fewer once nothing is left.
 * @returns how many rows went.
 */
export async function inSlices(
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  { first, most, sliceMs, wholeMs }: Slicing,
  slice: (size: number, begun: () => void) => Promise<Slice>,
): Promise<number> {
  const until = clock.monotonic() + wholeMs;
  let gone = 0;
  for (let size = first; ; ) {
    let from = clock.monotonic();
    const done = await slice(size, () => {
      // What was waited for before is not its own.
      from = clock.monotonic();
    });
    gone += done.gone;
    const now = clock.monotonic();
    if (done.seen < size || now >= until) return gone;
    const took = now - from;
    if (took > sliceMs) size = Math.max(LEAST, Math.floor(size / 2));
    else if (took < sliceMs / 2) size = Math.min(most, size * 2);
    await clock.sleep(took);
  }
}
