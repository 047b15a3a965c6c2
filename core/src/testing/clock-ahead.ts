import type { Clock } from '../contract/clock.js';
import { realClock } from '../ports/system-clock.js';

export interface ClockAhead {
  readonly clock: Clock;
  skip(ms: number): void;
}

/**
 * For harnesses on real time: cached values age at once. Only `now` and `monotonic` jump; sleeps keep their
 * length.
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
