import type { Clock } from '../../contract/clock.js';
import type { UnixMs } from '../../contract/ids.js';
import type { Alerts, Logger, Metrics } from '../../contract/observability.js';
import { type DueDelivery, type Store, StoreUnavailableError } from '../../contract/store.js';
import type { EndpointQueue } from './endpoint-queue.js';

const ENDPOINTS_PER_READ = 32;
/** Pause of an endpoint whose deliveries cannot be read. */
const ON_HOLD_RETRY_DELAY_MS = 60_000;

export interface RefillDeps {
  readonly store: Pick<Store, 'dueDeliveries' | 'firstDue'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
}

/**
 * An endpoint whose deliveries cannot be read is paused and reported without delaying others.
 *
 * @param againMs until deliveries that do not fit are read again.
 */
export async function refill(queues: Iterable<EndpointQueue>, againMs: number, deps: RefillDeps): Promise<void> {
  const { clock, store } = deps;
  const now = clock.now();
  const asking = [...queues].filter((queue) => queue.room(now) > 0);
  const emptied = new Map<string, EndpointQueue>();
  for (let from = 0; from < asking.length; from += ENDPOINTS_PER_READ) {
    const some = asking.slice(from, from + ENDPOINTS_PER_READ);
    const each = Math.max(...some.map((queue) => queue.room(now)));
    for (const [queue, due] of await dueOf(some, now, each, deps)) {
      queue.refill(due, now);
      if (due.length === each) queue.readFrom(now);
      else emptied.set(queue.endpoint.id, queue);
    }
  }
  if (emptied.size === 0) return;
  for (const { endpointId, dueAt } of await store.firstDue([...emptied.keys()]))
    emptied.get(endpointId)?.readFrom(dueAt > now ? dueAt : now + againMs);
}

async function dueOf(
  queues: readonly EndpointQueue[],
  now: UnixMs,
  each: number,
  deps: RefillDeps,
): Promise<ReadonlyMap<EndpointQueue, readonly DueDelivery[]>> {
  try {
    const found = new Map<string, DueDelivery[]>();
    for (const queue of queues) found.set(queue.endpoint.id, []);
    for (const one of await deps.store.dueDeliveries([...found.keys()], now, each))
      found.get(one.delivery.endpointId)?.push(one);
    for (const queue of queues) if (queue.isOnHold) deps.alerts.clear(alertOf(queue));
    return new Map(queues.map((queue) => [queue, found.get(queue.endpoint.id) ?? []]));
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    if (queues.length === 1) {
      for (const queue of queues) setOnHold(queue, error, deps);
      return new Map();
    }
    const all = new Map<EndpointQueue, readonly DueDelivery[]>();
    for (const queue of queues) for (const [one, due] of await dueOf([queue], now, each, deps)) all.set(one, due);
    return all;
  }
}

function setOnHold(queue: EndpointQueue, error: unknown, { alerts, clock, log, metrics }: RefillDeps): void {
  const endpoint = queue.endpoint.id;
  queue.setOnHold(clock.now() + ON_HOLD_RETRY_DELAY_MS);
  metrics.count('unreadable', 'Deliveries whose content could not be read');
  log.error({ endpoint, err: error }, 'the undelivered events of an endpoint cannot be read: it is put on hold');
  alerts.raise(alertOf(queue), 'The undelivered events of an endpoint cannot be read; it is sent nothing', {
    endpoint,
  });
}

function alertOf({ endpoint }: EndpointQueue): string {
  return `unreadable:${endpoint.id}`;
}
