import { NotWrittenError, type Store } from '@causeway/core';
import type { Database } from '../database.js';

const missing = (what: string) => new NotWrittenError(what, 'src/reads/requests.ts');

/**
 * Reads of requests.
 *
 * Each read returns one committed snapshot. `Store` documents order and limits of each method.
 */
export function requestsReads(
  _database: Database,
): Pick<
  Store,
  | 'request'
  | 'requests'
  | 'requestsByOrder'
  | 'requestsOfKey'
  | 'views'
  | 'shown'
  | 'statuses'
  | 'search'
  | 'stuck'
  | 'unsettled'
  | 'recentFills'
  | 'hintsAfter'
> {
  return {
    request: async (_id) => {
      throw missing('request: return a request by id');
    },
    requests: async (_ids) => {
      throw missing('requests: return requests by id');
    },
    requestsOfKey: async (_keyId, _after, _limit) => {
      throw missing('requestsOfKey: return requests quoted with an API key, by last change, after a mark');
    },
    requestsByOrder: async (_orderIds) => {
      throw missing('requestsByOrder: return parent requests by the ids of their orders, one each');
    },
    views: async (_ids) => {
      throw missing('views: return requests with deposits, legs and transactions (without `entry`), in one snapshot');
    },
    shown: async (_id) => {
      throw missing('shown: return a request with deposits, legs and complete transactions, in one snapshot');
    },
    statuses: async (_ids) => {
      throw missing(
        'statuses: return the fields that determine the status of requests or quotes; cheaper than `views`',
      );
    },
    search: async (_search) => {
      throw missing('search: return one page of requests, keyset-paginated');
    },
    stuck: async (_before, _lanes, _limit) => {
      throw missing('stuck: return requests that hold value without progress, oldest first');
    },
    unsettled: async (_limit, _after) => {
      throw missing('unsettled: return requests without a final status, oldest first');
    },
    recentFills: async (_since, _limit) => {
      throw missing('recentFills: return durations of the newest fills');
    },
    hintsAfter: async (_after, _limit) => {
      throw missing('hintsAfter: return hints that name a request, by age and id, after the given one');
    },
  };
}
