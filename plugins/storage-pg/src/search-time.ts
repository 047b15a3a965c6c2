import { SEARCH_TIMEOUT_MS, SearchTimeoutError } from '@causeway/core';
import type { Knex } from 'knex';
import { isRefusal } from './errors.js';

/** The server gave a statement up because it took too long. */
const CANCELED = '57014';

/** Runs a read in one snapshot; the server gives each of its statements up when it takes too long. */
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
