import { it } from 'vitest';

/**
 * True where everything is played, as `npm run test:nightly` does; false in the gate of each change, which plays a part of
 * what is drawn or crossed. What is left to the night is left out of the gate's count: there it is not skipped but absent.
 */
export const AT_NIGHT = process.env['CAUSEWAY_NIGHTLY'] === '1';

/** All rows at night, and those chosen in the gate. */
export function orInGate<T>(all: readonly T[], inGate: (row: T, at: number) => boolean): readonly T[] {
  const chosen = AT_NIGHT ? all : all.filter(inGate);
  if (chosen.length === 0) throw new Error('nothing is left to play');
  return chosen;
}

/**
 * A test of the night alone. Those of its file that follow must go on from where the one before it ends.
 *
 * @param timeoutMs default: its lane's.
 */
export function atNight(name: string, test: () => Promise<void>, timeoutMs?: number): void {
  if (AT_NIGHT) it(name, test, timeoutMs);
}
