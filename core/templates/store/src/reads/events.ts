import { NotWrittenError, type Store } from '@causeway/core';
import type { Database } from '../database.js';

const missing = (what: string) => new NotWrittenError(what, 'src/reads/events.ts');

/** The feed of events, and who is still to be told. Each read sees one committed snapshot; order and bounds of each are said where `Store` declares it. */
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
    /** The feed after a position, which skips nothing. */
    events: async (_afterPosition, _limit) => {
      throw missing('events: the feed after a position, which skips nothing');
    },
    /** Events of one request. */
    eventsOf: async (_request, _afterPosition) => {
      throw missing('eventsOf: events of one request');
    },
    /** The position of the newest event. */
    feedEnd: async () => {
      throw missing('feedEnd: the position of the newest event');
    },
    /** All endpoints. */
    endpoints: async () => {
      throw missing('endpoints: all endpoints');
    },
    /** An endpoint by its id. */
    endpoint: async (_id) => {
      throw missing('endpoint: an endpoint by its id');
    },
    /** Deliveries by their ids. */
    deliveries: async (_ids) => {
      throw missing('deliveries: deliveries by their ids');
    },
    /** Deliveries of requests that are not over. */
    openDeliveries: async (_requests, _endpoints) => {
      throw missing('openDeliveries: deliveries of requests that are not over');
    },
    /** Deliveries whose time has come, with their events. */
    dueDeliveries: async (_endpoints, _now, _each) => {
      throw missing('dueDeliveries: deliveries whose time has come, with their events');
    },
    /** Deliveries of one endpoint. */
    deliveriesOf: async (_endpointId, _filter) => {
      throw missing('deliveriesOf: deliveries of one endpoint');
    },
    /** Deliveries to be made again. */
    deliveriesAgain: async (_endpointIds, _limit) => {
      throw missing('deliveriesAgain: deliveries to be made again');
    },
    /** When the first delivery of each endpoint is due. */
    firstDue: async (_endpoints) => {
      throw missing('firstDue: when the first delivery of each endpoint is due');
    },
    /** What is left to be told, by channel. */
    backlog: async () => {
      throw missing('backlog: undelivered events, by channel');
    },
  };
}
