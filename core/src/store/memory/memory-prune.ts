import type { UnixMs } from '../../contract/ids.js';
import { HINT_LIFE_MS, QUOTE_LIFE_MS, tombstoneOf } from '../retention.js';
import type { MemoryDatabase } from './memory-database.js';

export function prune(database: MemoryDatabase, now: UnixMs): number {
  const { clientMetadata, hints, quotes, requests, tombstones } = database.tables;
  let gone = 0;
  for (const hint of [...hints.rows()]) {
    if (hint.createdAt >= now - HINT_LIFE_MS) continue;
    hints.delete(hint.id);
    gone += 1;
  }
  for (const quote of [...quotes.rows()]) {
    if (quote.deadlineAt >= now - QUOTE_LIFE_MS || requests.get(quote.id)) continue;
    if (!tombstones.get(quote.orderId)) tombstones.put({ ...tombstoneOf(quote) }, tombstones.size + 1);
    quotes.delete(quote.id);
    clientMetadata.delete(quote.id);
    gone += 1;
  }
  return gone;
}
