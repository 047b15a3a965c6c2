import type { Clock } from '../../contract/clock.js';

export interface Slice {
  readonly seen: number;
  readonly gone: number;
}

export interface Slicing {
  readonly first: number;
  readonly most: number;
  /** Target duration; the next slice is half as long after a longer one. */
  readonly sliceMs: number;
  readonly wholeMs: number;
}

const MIN_SLICE_ROWS = 50;

/**
 * Another writer on the connection waits for at most one slice; after each, a rest of the same length.
 *
 * @param slice processes up to so many rows, and fewer once nothing is left.
 * @returns how many rows were removed.
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
      from = clock.monotonic();
    });
    gone += done.gone;
    const now = clock.monotonic();
    if (done.seen < size || now >= until) return gone;
    const took = now - from;
    if (took > sliceMs) size = Math.max(MIN_SLICE_ROWS, Math.floor(size / 2));
    else if (took < sliceMs / 2) size = Math.min(most, size * 2);
    await clock.sleep(took);
  }
}
