/** Bytes in use after collections of garbage. */
export interface Memory {
  readonly heap: number;
  /** Buffers outside of the heap. */
  readonly external: number;
  readonly rss: number;
}

/**
 * What may be added between the end of the warm-up and the end of a run, however many requests that is: bounded caches
 * that fill up late (wrong keys, callers), and for `rss` the pages that the connections to the database may keep, which
 * are up to 112 MB. A heap that keeps 200 bytes of each request is beyond it after 100,000 of them; measured there:
 * about 3 MB.
 */
export const MOST_GROWTH: Memory = { heap: 12 * 2 ** 20, external: 8 * 2 ** 20, rss: 128 * 2 ** 20 };

/** What grew beyond the bound; undefined when memory is flat. */
export function grown(before: Memory, after: Memory): string | undefined {
  const over = (['heap', 'external', 'rss'] as const).filter((kind) => after[kind] - before[kind] > MOST_GROWTH[kind]);
  return over.length === 0
    ? undefined
    : over.map((kind) => `${kind} ${mb(before[kind])} -> ${mb(after[kind])}`).join(', ');
}

export function mb(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
