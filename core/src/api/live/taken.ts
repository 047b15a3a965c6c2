import type { Clock } from '../../contract/clock.js';
import type { SocketLimits } from '../ws/limits.js';

/** How often it is looked whether a client that catches up has taken what it was sent. */
const LOOK_MS = 10;

/** Waits until at most half of what may wait for a client does, or it is gone. Resolves to false when that takes too long. */
export async function taken(
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  limits: Pick<SocketLimits, 'maxBufferedBytes' | 'patienceMs'>,
  waits: () => number,
): Promise<boolean> {
  const until = clock.monotonic() + limits.patienceMs;
  while (waits() > limits.maxBufferedBytes / 2) {
    if (clock.monotonic() >= until) return false;
    await clock.sleep(LOOK_MS);
  }
  return true;
}
