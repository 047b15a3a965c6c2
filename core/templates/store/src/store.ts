import type { Store } from '@causeway/core';
import { applyTo } from './apply.js';
import { Database, type DatabaseOptions } from './database.js';
import { leasesOf } from './leases.js';
import { prune } from './prune.js';
import { depositsReads } from './reads/deposits.js';
import { eventsReads } from './reads/events.js';
import { legsReads } from './reads/legs.js';
import { operatorsReads } from './reads/operators.js';
import { quotesReads } from './reads/quotes.js';
import { requestsReads } from './reads/requests.js';

/** The store: one database, and its operations in a file for each concern. */
export function store(options: DatabaseOptions): Store {
  const database = new Database(options);
  return {
    open: () => database.open(),
    close: () => database.close(),
    ping: () => database.ping(),
    apply: (set) => applyTo(database, set),
    ...leasesOf(database),
    ...quotesReads(database),
    ...requestsReads(database),
    ...depositsReads(database),
    ...legsReads(database),
    ...eventsReads(database),
    ...operatorsReads(database),
    prune: (now, anonymousLifeMs, deliveryLifeMs) => prune(database, now, anonymousLifeMs, deliveryLifeMs),
  };
}
