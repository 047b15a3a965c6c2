import type { Clock } from '../contract/clock.js';

/** @param keepsAlive whether pending timers keep the process alive. */
const machineClock = (keepsAlive: boolean): Clock => ({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      if (!keepsAlive) timer.unref();
      signal?.addEventListener('abort', done, { once: true });
    }),
  every: (ms: number, task: () => void) => {
    const timer = setInterval(task, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
});

export const systemClock: Clock = Object.freeze(machineClock(true));

/** For test harnesses that use real servers and chains: its timers keep no process alive. */
export const realClock: Clock = Object.freeze(machineClock(false));
