import type { Clock } from '../../contract/clock.js';
import type { Logger, Metrics } from '../../contract/observability.js';
import type { Store } from '../../contract/store.js';

const INTERVAL_MS = 30_000;
const MAX_LOAD_SHARE = 50;

export interface BacklogDeps {
  readonly store: Pick<Store, 'backlog' | 'endpoints'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Reports open deliveries by channel. One process per database does, so that sums over processes are right. */
export async function reportBacklog({ store, clock, log, metrics }: BacklogDeps, ended: AbortSignal): Promise<void> {
  let reported = new Map<string, readonly [open: number, ageMs: number]>();
  const report = (now: Map<string, readonly [open: number, ageMs: number]>, disabled: number): void => {
    for (const channel of reported.keys()) if (!now.has(channel)) now.set(channel, [0, 0]);
    for (const [channel, [open, ageMs]] of now) {
      metrics.gauge('backlog', 'Deliveries of active endpoints that are not over', open, { channel });
      const help = 'Age of the oldest event not yet delivered to an active endpoint';
      metrics.gauge('oldest_undelivered_seconds', help, ageMs / 1_000, { channel });
    }
    metrics.gauge('disabled_endpoints', 'Endpoints that receive nothing until they are enabled again', disabled);
    reported = now;
  };
  while (!ended.aborted) {
    const begun = clock.monotonic();
    try {
      const [open, endpoints] = [await store.backlog(), await store.endpoints()];
      const now = clock.now();
      if (ended.aborted) break;
      report(
        new Map(open.map((one) => [one.channel, [one.open, Math.max(0, now - one.since)]])),
        endpoints.filter(({ state }) => state === 'disabled').length,
      );
    } catch (error) {
      log.warn({ err: error }, 'the undelivered events of endpoints could not be counted');
    }
    await clock.sleep(Math.max(INTERVAL_MS, (clock.monotonic() - begun) * MAX_LOAD_SHARE), ended);
  }
  report(new Map(), 0);
}
