import { type ChainState, NotWrittenError } from '@causeway/core';
import type { Chain } from './adapter.js';

const missing = (what: string) => new NotWrittenError(what, 'src/state.ts');

/** What is kept warm of the chain, and the balances that somebody asks for. What is too old to be used is `undefined`. */
export function state(_chain: Chain): ChainState {
  return {
    /** Whether the head is fresh, and if not why, for operators. From `chain.feed`. */
    status: () => {
      throw missing('status: whether the head is fresh, from the feed');
    },
    /** What one leg costs us in native coin now, with a buffer; `undefined` until fees were read, and for kinds that nobody serves. */
    legCost: (_kind, _currency, _recipient) => {
      throw missing('legCost: what one leg costs us, from the feed');
    },
    /** What the payer spends on the deposit steps. */
    depositCost: (_currency, _overhead) => {
      throw missing('depositCost: what a deposit costs its payer, from the feed');
    },
    /** What the lane holds, with the time it was read. */
    laneBalance: (_signer, _currency) => {
      throw missing('laneBalance: what the lane holds, from the feed');
    },
    /** What anybody holds at the head. Asks a node. */
    userBalance: async (_address, _currency) => {
      throw missing('userBalance: what an account holds at the head');
    },
    /** What the depository or a lane holds at the head, for audits. Asks a node. */
    potBalance: async (_pot, _currency) => {
      throw missing('potBalance: what one of our pots holds at the head');
    },
  };
}
