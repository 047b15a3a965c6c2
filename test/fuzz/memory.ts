export interface Memory {
  readonly heap: number;
  /** Buffers outside of the heap. */
  readonly external: number;
  readonly rss: number;
}

/**
 * Allowed growth from the end of the warm-up to the end of a run of any length: bounded caches that fill late (wrong
 * keys, callers), and for `rss` pages of the database connections, up to 112 MB. A leak of 200 bytes per request
 * exceeds the heap bound after 100,000 requests; measured there: about 3 MB.
 */
export const MAX_GROWTH: Memory = { heap: 12 * 2 ** 20, external: 8 * 2 ** 20, rss: 128 * 2 ** 20 };

/** What grew beyond the bound; undefined when memory is flat. */
export function grown(before: Memory, after: Memory): string | undefined {
  const over = (['heap', 'external', 'rss'] as const).filter((kind) => after[kind] - before[kind] > MAX_GROWTH[kind]);
  return over.length === 0
    ? undefined
    : over.map((kind) => `${kind} ${mb(before[kind])} -> ${mb(after[kind])}`).join(', ');
}

export function mb(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
