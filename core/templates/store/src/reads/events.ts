import { NotWrittenError, type Store } from '@causeway/core';
import type { Database } from '../database.js';

const missing = (what: string) => new NotWrittenError(what, 'src/reads/events.ts');

/**
 * Reads of the event feed, endpoints and deliveries.
 *
 * Each read returns one committed snapshot. `Store` documents order and limits of each method.
 */
export function eventsReads(
  _database: Database,
): Pick<
  Store,
  | 'events'
  | 'eventsOf'
  | 'feedEnd'
  | 'endpoints'
  | 'endpoint'
  | 'deliveries'
  | 'openDeliveries'
  | 'dueDeliveries'
  | 'deliveriesOf'
  | 'deliveriesAgain'
  | 'firstDue'
  | 'backlog'
> {
  return {
    events: async (_afterPosition, _limit) => {
      throw missing('events: return events after a position, without gaps');
    },
    eventsOf: async (_request, _afterPosition) => {
      throw missing('eventsOf: return events of one request after a position, in order');
    },
    feedEnd: async () => {
      throw missing('feedEnd: return the position of the newest event; 0 without any');
    },
    endpoints: async () => {
      throw missing('endpoints: return all endpoints, oldest first');
    },
    endpoint: async (_id) => {
      throw missing('endpoint: return an endpoint by id');
    },
    deliveries: async (_ids) => {
      throw missing('deliveries: return deliveries by id');
    },
    openDeliveries: async (_requests, _endpoints) => {
      throw missing('openDeliveries: return deliveries of these requests that are not completed, in event order');
    },
    dueDeliveries: async (_endpoints, _now, _each) => {
      throw missing('dueDeliveries: return `due` deliveries with `dueAt` reached, with their events');
    },
    deliveriesOf: async (_endpointId, _filter) => {
      throw missing('deliveriesOf: return deliveries to one endpoint, latest events first');
    },
    deliveriesAgain: async (_endpointIds, _limit) => {
      throw missing('deliveriesAgain: return deliveries in state `again`');
    },
    firstDue: async (_endpoints) => {
      throw missing('firstDue: return the earliest `dueAt` of each endpoint');
    },
    backlog: async () => {
      throw missing('backlog: return the number of undelivered events by channel');
    },
  };
}
