import type { UnixMs } from '../../contract/ids.js';
import type { DueDelivery } from '../../contract/store.js';
import { deliveryOf } from './delivery-of.js';
import { lineOf, MAX_NEW_ROWS, type Turn } from './plan-turn.js';

/** Deliveries that may be sent before their rows exist: nothing else of the request is open for the endpoint. */
export function ahead({ endpoints, events, open, wants }: Omit<Turn, 'tried' | 'now'>, now: UnixMs): DueDelivery[] {
  const lines = new Set(open.map(lineOf));
  const found: DueDelivery[] = [];
  let rows = 0;
  for (const event of events) {
    if (rows >= MAX_NEW_ROWS) break;
    for (const endpoint of endpoints.values()) {
      if (event.position <= endpoint.fromPosition || !wants(endpoint, event)) continue;
      rows += 1;
      const line = lineOf({ endpointId: endpoint.id, requestId: event.requestId });
      if (lines.has(line)) continue;
      lines.add(line);
      if (endpoint.state === 'active') found.push({ delivery: deliveryOf(endpoint, event, 'due', now), event });
    }
  }
  return found;
}
