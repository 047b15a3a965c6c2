import { NotWrittenError, type UnixMs } from '@causeway/core';
import type { Database } from './database.js';

/**
 * Removes what is past retention and shrinks old quotes to tombstones; never money state, nor what an endpoint is still to be told.
 * Bounded in time, and its cost hangs on what is past retention, never on what is kept.
 *
 * @returns how many rows went.
 */
export async function prune(
  _database: Database,
  _now: UnixMs,
  _anonymousLifeMs?: number,
  _deliveryLifeMs?: number,
): Promise<number> {
  throw new NotWrittenError('prune: remove what is past retention', 'src/prune.ts');
}
