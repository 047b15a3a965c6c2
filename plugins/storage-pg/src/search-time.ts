import { SEARCH_TIMEOUT_MS, SearchTimeoutError } from '@causeway/core';
import type { Knex } from 'knex';
import { isRefusal } from './errors.js';

/** Statement cancelled after its time-out. */
const CANCELED = '57014';

/** Runs a read in one snapshot, with the server's time-out per statement. */
export async function inTime<T>(
  reading: Knex,
  task: (reader: Knex) => Promise<T>,
  limitMs = SEARCH_TIMEOUT_MS,
): Promise<T> {
  try {
    return await reading.transaction(async (transaction) => {
      await transaction.raw(`set local statement_timeout = ${limitMs}`);
      return task(transaction);
    });
  } catch (error) {
    if (!isRefusal(error) || error.code !== CANCELED) throw error;
    throw new SearchTimeoutError(`no answer within ${limitMs} ms`, { cause: error });
  }
}
