import { NotWrittenError, type Store } from '@causeway/core';
import type { Database } from '../database.js';

const missing = (what: string) => new NotWrittenError(what, 'src/reads/quotes.ts');

/**
 * Reads of quotes, tombstones, earmarks and idempotency keys.
 *
 * Each read returns one committed snapshot. `Store` documents order and limits of each method.
 */
export function quotesReads(
  _database: Database,
): Pick<
  Store,
  | 'quote'
  | 'quotesByOrder'
  | 'unpaidQuotes'
  | 'tombstonesByOrder'
  | 'ordersByPrefix'
  | 'earmarks'
  | 'overdueEarmarks'
  | 'clientMetadata'
  | 'idempotencyKey'
> {
  return {
    quote: async (_id) => {
      throw missing('quote: return a quote by id');
    },
    quotesByOrder: async (_orderIds) => {
      throw missing('quotesByOrder: return quotes by the ids of their orders');
    },
    unpaidQuotes: async (_limit) => {
      throw missing(
        'unpaidQuotes: return the number of unpaid quotes of callers without an API key, counted up to a limit',
      );
    },
    tombstonesByOrder: async (_orderIds) => {
      throw missing('tombstonesByOrder: return tombstones by the ids of their orders');
    },
    ordersByPrefix: async (_prefixes) => {
      throw missing(
        'ordersByPrefix: return ids of orders (of quotes and tombstones) that start with a prefix, at most two per prefix',
      );
    },
    earmarks: async (_ids) => {
      throw missing('earmarks: return earmarks by id, in any state');
    },
    overdueEarmarks: async (_before, _limit) => {
      throw missing('overdueEarmarks: return `kept` earmarks of quotes that expired, oldest first');
    },
    clientMetadata: async (_ids) => {
      throw missing('clientMetadata: return metadata that clients attached to these requests or quotes');
    },
    idempotencyKey: async (_id) => {
      throw missing('idempotencyKey: return an idempotency key, with the stored response');
    },
  };
}
