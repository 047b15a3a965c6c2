const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** Pauses after the first, second … try of a delivery, milliseconds; the last one is that of all later ones. */
const PAUSES = [5 * SECOND, 30 * SECOND, 2 * 60 * SECOND, 10 * 60 * SECOND, 30 * 60 * SECOND, HOUR, 3 * HOUR, 6 * HOUR];
/** Pauses of an endpoint that takes nothing, after so many failures in a row and each one more. */
const REST_AFTER = 5;
const RESTS = [1 * SECOND, 5 * SECOND, 15 * SECOND, 60 * SECOND];

/** A delivery that fails for so long is given up, an endpoint that takes nothing for so long is disabled. */
export const PATIENCE_MS = 3 * DAY;

/**
 * How long a delivery waits after a try that failed: ever longer, each time between three quarters and all of the pause, so that those
 * that failed together do not come back together.
 *
 * @param attempts tries so far, at least 1.
 * @param fraction in [0, 1).
 */
export function pauseAfter(attempts: number, fraction: number): number {
  const pause = PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? 0;
  return Math.round(pause * (0.75 + fraction / 4));
}

/** How long an endpoint is left alone after so many failures in a row: one that cannot be reached is asked by one delivery, not all. */
export function restAfter(failures: number): number {
  return failures < REST_AFTER ? 0 : (RESTS[Math.min(failures - REST_AFTER, RESTS.length - 1)] ?? 0);
}
