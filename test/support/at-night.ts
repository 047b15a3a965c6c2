import { it } from 'vitest';

/**
 * True under `npm run test:nightly`, which plays everything; false in the gate of each change, which plays a sample.
 * Nightly tests are absent from the gate's count, not skipped.
 */
export const AT_NIGHT = process.env['CAUSEWAY_NIGHTLY'] === '1';

export function orInGate<T>(all: readonly T[], inGate: (row: T, at: number) => boolean): readonly T[] {
  const chosen = AT_NIGHT ? all : all.filter(inGate);
  if (chosen.length === 0) throw new Error('nothing is left to play');
  return chosen;
}

/**
 * A nightly-only test. Later tests of its file must be able to continue after it.
 *
 * @param timeoutMs default: its lane's.
 */
export function atNight(name: string, test: () => Promise<void>, timeoutMs?: number): void {
  if (AT_NIGHT) it(name, test, timeoutMs);
}
