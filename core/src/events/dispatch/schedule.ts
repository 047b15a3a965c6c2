const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** After the first, second … attempt, milliseconds; the last one repeats. */
const PAUSES = [5 * SECOND, 30 * SECOND, 2 * 60 * SECOND, 10 * 60 * SECOND, 30 * 60 * SECOND, HOUR, 3 * HOUR, 6 * HOUR];
const FAILURES_BEFORE_REST = 5;
const RESTS = [1 * SECOND, 5 * SECOND, 15 * SECOND, 60 * SECOND];

/** After failing this long, a delivery is abandoned, and an endpoint without success is disabled. */
export const GIVE_UP_AFTER_MS = 3 * DAY;

/**
 * Between three quarters and all of the pause: jitter keeps simultaneous failures from returning together.
 *
 * @param attempts so far, at least 1.
 * @param fraction in [0, 1).
 */
export function pauseAfter(attempts: number, fraction: number): number {
  const pause = PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? 0;
  return Math.round(pause * (0.75 + fraction / 4));
}

/** Pause of a failing endpoint, which is then probed by one delivery. */
export function restAfter(failures: number): number {
  return failures < FAILURES_BEFORE_REST
    ? 0
    : (RESTS[Math.min(failures - FAILURES_BEFORE_REST, RESTS.length - 1)] ?? 0);
}
