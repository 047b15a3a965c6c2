import { NotWrittenError, type Store } from '@causeway/core';
import type { Database } from '../database.js';

const missing = (what: string) => new NotWrittenError(what, 'src/reads/quotes.ts');

/** Quotes, and what is left of them. Each read sees one committed snapshot; order and bounds of each are said where `Store` declares it. */
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
    /** A quote by its id. */
    quote: async (_id) => {
      throw missing('quote: a quote by its id');
    },
    /** Quotes of orders. */
    quotesByOrder: async (_orderIds) => {
      throw missing('quotesByOrder: quotes of orders');
    },
    /** How many quotes of callers without a key are unpaid, at most limit. */
    unpaidQuotes: async (_limit) => {
      throw missing('unpaidQuotes: how many quotes of callers without a key are unpaid, at most limit');
    },
    /** What is left of quotes that were shrunk. */
    tombstonesByOrder: async (_orderIds) => {
      throw missing('tombstonesByOrder: what is left of quotes that were shrunk');
    },
    /** Orders of quotes and of what is left of them, by the first digits of their ids. */
    ordersByPrefix: async (_prefixes) => {
      throw missing('ordersByPrefix: orders of quotes and of what is left of them, by the first digits of their ids');
    },
    /** What is kept for quotes. */
    earmarks: async (_ids) => {
      throw missing('earmarks: what is kept for quotes');
    },
    /** What is kept and was due. */
    overdueEarmarks: async (_before, _limit) => {
      throw missing('overdueEarmarks: what is kept and was due');
    },
    /** What clients said of themselves. */
    clientMetadata: async (_ids) => {
      throw missing('clientMetadata: what clients said of themselves');
    },
    /** What a request under an idempotency key was answered. */
    idempotencyKey: async (_id) => {
      throw missing('idempotencyKey: what a request under an idempotency key was answered');
    },
  };
}
