import { NotWrittenError, type Store } from '@causeway/core';
import type { Database } from '../database.js';

const missing = (what: string) => new NotWrittenError(what, 'src/reads/requests.ts');

/** Requests, alone and with all about them. Each read sees one committed snapshot; order and bounds of each are said where `Store` declares it. */
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
    /** A request by its id. */
    request: async (_id) => {
      throw missing('request: a request by its id');
    },
    /** Requests by their ids. */
    requests: async (_ids) => {
      throw missing('requests: requests by their ids');
    },
    /** Of the requests of a key, those that changed last after a mark. */
    requestsOfKey: async (_keyId, _after, _limit) => {
      throw missing('requestsOfKey: of the requests of a key, those that changed last after a mark');
    },
    /** Parents of orders, one each. */
    requestsByOrder: async (_orderIds) => {
      throw missing('requestsByOrder: parents of orders, one each');
    },
    /** All about each request but `entry` of its transactions, in one snapshot. */
    views: async (_ids) => {
      throw missing('views: all about each request but the entries of its transactions, in one snapshot');
    },
    /** All about one request, in one snapshot. */
    shown: async (_id) => {
      throw missing('shown: all about one request, in one snapshot');
    },
    /** What the status of each is told from, cheaply. */
    statuses: async (_ids) => {
      throw missing('statuses: what the status of each derives from, cheaply');
    },
    /** One page of the listing, keyset-paginated. */
    search: async (_search) => {
      throw missing('search: one page of the listing, keyset-paginated');
    },
    /** Requests that hold value which nothing works on. */
    stuck: async (_before, _lanes, _limit) => {
      throw missing('stuck: requests that hold value which nothing works on');
    },
    /** Requests that are not over, oldest first. */
    unsettled: async (_limit, _after) => {
      throw missing('unsettled: requests that are not over, oldest first');
    },
    /** How long the newest fills took. */
    recentFills: async (_since, _limit) => {
      throw missing('recentFills: how long the newest fills took');
    },
    /** Hints that name a request, after one. */
    hintsAfter: async (_after, _limit) => {
      throw missing('hintsAfter: hints that name a request, after one');
    },
  };
}
