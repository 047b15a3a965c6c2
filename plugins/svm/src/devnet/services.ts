import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Logger } from '@causeway/core';
import type { SvmServices } from '../svm-adapter.js';

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal && { signal }).catch(() => undefined),
  every: (ms, task) => {
    const timer = setInterval(task, ms);
    return () => clearInterval(timer);
  },
};

const ignored = (): void => {};
const log: Logger = { debug: ignored, info: ignored, warn: ignored, error: ignored, child: () => log };

/** Quiet: a set-up that fails throws one line. */
export const services: SvmServices = {
  ...{ clock, log },
  alerts: { raise: ignored, clear: ignored, list: () => [] },
  metrics: { count: ignored, gauge: ignored, observe: ignored },
};
