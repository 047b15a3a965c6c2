import type { RequestRow } from '../../../src/contract/index.js';
import { statusEvent } from '../../../src/events/status-event.js';
import type { RunningApi } from './running-api.js';

const BATCH_SIZE = 500;

/** Adds events without a status change. @returns the last position. */
export async function manyEvents(api: RunningApi, id: RequestRow['id'], count: number): Promise<number> {
  for (let left = count; left > 0; left -= BATCH_SIZE) {
    const request = await api.store.request(id);
    if (!request) throw new Error('no request');
    const some = Math.min(left, BATCH_SIZE);
    const first = request.eventCount + 1;
    const events = Array.from({ length: some }, (_, n) => statusEvent(request, [], first + n, Date.now()));
    const outcome = await api.store.apply({
      name: 'test',
      changes: [
        {
          ...{ op: 'update', table: 'requests', key: { id }, version: request.version },
          set: { eventCount: request.eventCount + some },
        },
        ...events.map((row) => ({ op: 'insert', table: 'events', row }) as const),
      ],
    });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  }
  return api.store.feedEnd();
}
