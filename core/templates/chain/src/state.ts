import { type ChainState, NotWrittenError } from '@causeway/core';
import type { Chain } from './adapter.js';

const missing = (what: string) => new NotWrittenError(what, 'src/state.ts');

/** Cached state of the chain, and balances on demand. Return `undefined` for cached values that are missing or too old. */
export function state(_chain: Chain): ChainState {
  return {
    /** Health, with a reason for operators if unhealthy, and the head. From `chain.feed`; no I/O. */
    status: () => {
      throw missing('status: return health and head from the feed');
    },
    /** The solver's cost of one leg in native coin, smallest unit, with a buffer; `undefined` before the first fee sample. No I/O. */
    legCost: (_kind, _currency, _recipient) => {
      throw missing('legCost: return the cost of one leg from the feed');
    },
    /** The payer's cost of the deposit steps in native coin, smallest unit. No I/O. */
    depositCost: (_currency, _overhead) => {
      throw missing("depositCost: return the payer's cost of a deposit from the feed");
    },
    /** Balance of a lane, smallest unit, with the time of reading. No I/O. */
    laneBalance: (_signer, _currency) => {
      throw missing('laneBalance: return the balance of a lane from the feed');
    },
    /** Balance of any account at the head, smallest unit, read from a node. */
    userBalance: async (_address, _currency) => {
      throw missing('userBalance: read the balance of an account at the head');
    },
    /** Balance of the depository or of a lane at the head, smallest unit, read from a node. For `causeway audit`. */
    potBalance: async (_pot, _currency) => {
      throw missing('potBalance: read the balance of the depository or of a lane at the head');
    },
  };
}
