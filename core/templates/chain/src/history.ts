import { type ChainHistory, NotWrittenError } from '@causeway/core';
import type { Chain } from './adapter.js';

const missing = (what: string) => new NotWrittenError(what, 'src/history.ts');

/**
 * Past transactions, including those that this service's ledger does not contain (after a restored backup). Refunds depend on
 * these answers: reject rather than guess.
 */
export function history(_chain: Chain): ChainHistory {
  return {
    /** The transaction that paid a leg, under any key and by any sender. `undefined` states: not paid, as of the head. Rejects if unknown. */
    paidBy: async (_leg, _since) => {
      throw missing('paidBy: find the transaction that paid a leg');
    },
    /**
     * True only with proof that the order was not and never will be filled: a final block past the deadline, and a complete
     * history without a fill. False if not proven. Rejects if no node answered.
     */
    unfilledForGood: async (_orderId, _deadline, _since, _recipient) => {
      throw missing('unfilledForGood: prove that an order was not and can never be filled');
    },
    /** A transaction, of the solver or of a user, as shown in a request's record; `undefined` if it is in no block. */
    describeTransaction: async (_hash) => {
      throw missing('describeTransaction: return a transaction as clients see it in the record of a request');
    },
  };
}
