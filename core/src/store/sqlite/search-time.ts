import type { Knex } from 'knex';
import type sqlite3 from 'sqlite3';
import type { Clock } from '../../contract/clock.js';
import { SEARCH_TIMEOUT_MS, SearchTimeoutError } from '../../contract/search.js';

/** SQLite interrupts only running statements: one that begins after an interrupt needs another interrupt. */
const INTERRUPT_INTERVAL_MS = 50;

/**
 * Runs a read in one snapshot and interrupts it after a time limit.
 *
 * Race closed here: no interrupt after the task ended, because the connection then serves others.
 */
export async function inTime<T>(
  pool: Knex,
  clock: Pick<Clock, 'sleep'>,
  task: (reader: Knex) => Promise<T>,
  limitMs = SEARCH_TIMEOUT_MS,
): Promise<T> {
  return pool.transaction(async (transaction) => {
    // A transaction has exactly one connection.
    const database = (await transaction.client.acquireConnection()) as sqlite3.Database;
    const ended = new AbortController();
    let late = false;
    const interrupt = async () => {
      await clock.sleep(limitMs, ended.signal);
      while (!ended.signal.aborted) {
        late = true;
        database.interrupt();
        await clock.sleep(INTERRUPT_INTERVAL_MS, ended.signal);
      }
    };
    void interrupt();
    try {
      return await task(transaction);
    } catch (error) {
      if (late) throw new SearchTimeoutError(`no answer within ${limitMs} ms`, { cause: error });
      throw error;
    } finally {
      ended.abort();
    }
  });
}
