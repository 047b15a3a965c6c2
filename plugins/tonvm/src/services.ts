import type { Alerts, Clock, Logger, Metrics } from '@causeway/core';

/** What the host gives an adapter. */
export interface TonvmServices {
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
  readonly metrics: Metrics;
}
