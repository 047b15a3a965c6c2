import { it } from 'vitest';

/**
 * True under `npm run test:nightly`, which plays everything; false in the gate of each change, which plays a sample.
 * Nightly tests are absent from the gate's count, not skipped.
 */
export const AT_NIGHT = process.env['CAUSEWAY_NIGHTLY'] === '1';

/**
 * A nightly-only test. Later tests of its file must be able to continue after it.
 *
 * @param timeoutMs default: its lane's.
 */
export function atNight(name: string, test: () => Promise<void>, timeoutMs?: number): void {
  if (AT_NIGHT) it(name, test, timeoutMs);
}
