/** Drops what was put into a memory longest ago, until it has no more than so many entries. */
export function keepNewest(kept: Map<unknown, unknown>, most: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(oldest);
  }
}
