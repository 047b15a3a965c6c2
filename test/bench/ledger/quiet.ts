import type { Clock, Logger, Metrics } from '@causeway/core';

export const CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  every: () => () => undefined,
};

const quiet = () => undefined;
export const LOG: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => LOG };
export const METRICS: Metrics = { count: quiet, gauge: quiet, observe: quiet };
