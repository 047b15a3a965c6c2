import { type ChainHistory, NotWrittenError } from '@causeway/core';
import type { Chain } from './adapter.js';

const missing = (what: string) => new NotWrittenError(what, 'src/history.ts');

/** What the chain tells of the past, whether this ledger knows of it or not. Refunds rest on it. */
export function history(_chain: Chain): ChainHistory {
  return {
    /** The transaction that did what a leg asks for, by whatever key; `undefined` only where that is proven to be none. */
    paidBy: async (_leg, _since) => {
      throw missing('paidBy: the transaction that did what a leg asks for');
    },
    /** Proof that an order was not filled and never will be: a final block past the deadline, and a whole history without a fill. */
    unfilledForGood: async (_orderId, _deadline, _since, _recipient) => {
      throw missing('unfilledForGood: prove that an order can never be filled any more');
    },
    /** The entry of a transaction in the record of a request, also of users’ transactions. */
    describeTransaction: async (_hash) => {
      throw missing('describeTransaction: the entry of a transaction for the record');
    },
  };
}
