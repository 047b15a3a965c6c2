import type { DeliveryRow, EndpointRow } from '../../contract/delivery-rows.js';
import type { UnixMs } from '../../contract/ids.js';
import type { FeedRow } from '../../contract/store.js';

export function deliveryOf(
  { id: endpointId }: Pick<EndpointRow, 'id'>,
  { id: eventId, position, requestId, sequence }: FeedRow,
  state: 'due' | 'behind' | 'again',
  now: UnixMs,
): DeliveryRow {
  return {
    id: `${endpointId}/${eventId}`,
    version: 1,
    endpointId,
    eventId,
    position,
    requestId,
    sequence,
    state,
    dueAt: now,
    attempts: 0,
    firstTriedAt: null,
    lastError: null,
    answerStatus: null,
    answer: null,
    createdAt: now,
    updatedAt: now,
  };
}
