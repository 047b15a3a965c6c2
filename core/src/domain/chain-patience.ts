const MIN_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 60_000;
const TIMEOUT_BLOCKS = 5;

export function chainPatienceMs(blockTimeMs: number): number {
  return Math.min(MAX_TIMEOUT_MS, Math.max(MIN_TIMEOUT_MS, TIMEOUT_BLOCKS * blockTimeMs));
}
