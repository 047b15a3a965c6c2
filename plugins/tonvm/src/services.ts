import type { Alerts, Clock, Logger, Metrics } from '@causeway/core';

export interface TonvmServices {
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
  readonly metrics: Metrics;
}
