import type { Clock } from '../contract/clock.js';
import { realClock } from '../ports/system-clock.js';

/** A clock that can be put ahead, and what puts it ahead. */
export interface ClockAhead {
  readonly clock: Clock;
  /** From now on it shows so many milliseconds more. */
  skip(ms: number): void;
}

/**
 * For harnesses on real time: what an adapter keeps grows old at once, and nobody waits for it. Only what the clock shows goes ahead;
 * sleeps and turns last as long as ever.
 */
export function clockAhead(base: Clock = realClock): ClockAhead {
  let ahead = 0;
  return {
    clock: { ...base, now: () => base.now() + ahead, monotonic: () => base.monotonic() + ahead },
    skip: (ms) => {
      ahead += ms;
    },
  };
}
