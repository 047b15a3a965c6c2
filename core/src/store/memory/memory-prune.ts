import type { UnixMs } from '../../contract/ids.js';
import {
  DELIVERY_LIFE_MS,
  EARMARK_LIFE_MS,
  endedCounters,
  HINT_LIFE_MS,
  IDEMPOTENCY_LIFE_MS,
  quoteBounds,
  tombstoneOf,
} from '../retention.js';
import type { MemoryDatabase } from './memory-database.js';

export function prune(
  database: MemoryDatabase,
  now: UnixMs,
  anonymousLifeMs?: number,
  deliveryLifeMs = DELIVERY_LIFE_MS,
): number {
  const { clientMetadata, deliveries, earmarks, endpoints, hints, idempotencyKeys, quotes, requests, tombstones } =
    database.tables;
  const bounds = quoteBounds(now, anonymousLifeMs);
  let gone = 0;
  for (const hint of [...hints.rows()]) {
    if (hint.createdAt >= now - HINT_LIFE_MS) continue;
    hints.delete(hint.id);
    gone += 1;
  }
  for (const { id, createdAt } of [...idempotencyKeys.rows()]) {
    if (createdAt >= now - IDEMPOTENCY_LIFE_MS) continue;
    idempotencyKeys.delete(id);
    gone += 1;
  }
  for (const earmark of [...earmarks.rows()]) {
    if (earmark.state === 'kept' || earmark.expiresAt >= now - EARMARK_LIFE_MS) continue;
    earmarks.delete(earmark.id);
    gone += 1;
  }
  for (const { id, state, updatedAt } of [...deliveries.rows()]) {
    if ((state !== 'delivered' && state !== 'failed') || updatedAt >= now - deliveryLifeMs) continue;
    deliveries.delete(id);
    gone += 1;
  }
  for (const { id, state, updatedAt } of [...endpoints.rows()]) {
    if (state !== 'removed' || updatedAt >= now - deliveryLifeMs || database.indexes.deliveriesOf.list(id).length > 0)
      continue;
    endpoints.delete(id);
    gone += 1;
  }
  const [from, to] = endedCounters(now);
  for (const account of [...database.pots.keys()]) {
    if (account < from || account >= to) continue;
    database.pots.delete(account);
    gone += 1;
  }
  for (const quote of [...quotes.rows()]) {
    const before = quote.keyId === null ? bounds.anonymous : bounds.keyed;
    if (quote.deadlineAt >= before || requests.get(quote.id) || database.indexes.addressesOf.list(quote.id).length > 0)
      continue;
    if (!tombstones.get(quote.orderId)) tombstones.put({ ...tombstoneOf(quote) }, tombstones.size + 1);
    quotes.delete(quote.id);
    clientMetadata.delete(quote.id);
    gone += 1;
  }
  return gone;
}
