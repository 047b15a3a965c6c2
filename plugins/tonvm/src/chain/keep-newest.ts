/** Evicts the oldest entries beyond `most`. */
export function keepNewest(kept: Map<unknown, unknown>, most: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(oldest);
  }
}
