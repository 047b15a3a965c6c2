import type { Clock } from '../../contract/clock.js';
import type { SocketLimits } from '../ws/limits.js';

const POLL_INTERVAL_MS = 10;

/** Waits until a client's backlog is at most half of the limit, or the client left. Resolves to false on timeout. */
export async function taken(
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  limits: Pick<SocketLimits, 'maxBufferedBytes' | 'patienceMs'>,
  waits: () => number,
): Promise<boolean> {
  const until = clock.monotonic() + limits.patienceMs;
  while (waits() > limits.maxBufferedBytes / 2) {
    if (clock.monotonic() >= until) return false;
    await clock.sleep(POLL_INTERVAL_MS);
  }
  return true;
}
