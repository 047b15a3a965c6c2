const LEAST_MS = 10_000;
const MOST_MS = 60_000;
const FEW_BLOCKS = 5;

export function chainPatienceMs(blockTimeMs: number): number {
  return Math.min(MOST_MS, Math.max(LEAST_MS, FEW_BLOCKS * blockTimeMs));
}
