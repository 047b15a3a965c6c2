import { NotWrittenError, type UnixMs } from '@causeway/core';
import type { Database } from './database.js';

/**
 * Removes rows past retention and reduces old quotes to tombstones. Never removes money state or undelivered events. Bounded in time;
 * its cost depends on the rows past retention, not on those that stay.
 *
 * @param _anonymousLifeMs retention of quotes of callers without an API key, milliseconds past their deadline.
 * @param _deliveryLifeMs retention of completed deliveries, milliseconds.
 * @returns the number of removed or reduced rows.
 */
export async function prune(
  _database: Database,
  _now: UnixMs,
  _anonymousLifeMs?: number,
  _deliveryLifeMs?: number,
): Promise<number> {
  throw new NotWrittenError('prune: remove rows past retention', 'src/prune.ts');
}
