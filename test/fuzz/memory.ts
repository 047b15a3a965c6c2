/** Bytes in use after collections of garbage. */
export interface Memory {
  readonly heap: number;
  /** Buffers outside of the heap. */
  readonly external: number;
  readonly rss: number;
}

/**
 * What may be added between the end of the warm-up and the end of a run, whatever the number of requests: bounded caches
 * (wrong keys, callers) that fill up late, and pages that the allocator keeps. A leak of 200 bytes a request is more
 * than this after 100,000 of them.
 */
export const MOST_GROWTH: Memory = { heap: 16 * 2 ** 20, external: 8 * 2 ** 20, rss: 96 * 2 ** 20 };

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
