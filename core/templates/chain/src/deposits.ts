import { type ChainDeposits, type DepositBatch, NotWrittenError } from '@causeway/core';
import type { Chain } from './adapter.js';

const missing = (what: string) => new NotWrittenError(what, 'src/deposits.ts');

/** How money comes in. A deposit is what moved value, to the depository, in a configured currency, by somebody else than us, in a block. */
export function deposits(_chain: Chain): ChainDeposits {
  return {
    /** Unsigned transactions for the payer, the transfer last. It carries the order id, so that what is seen on chain says what it is for. */
    depositSteps: (_input) => {
      throw missing('depositSteps: unsigned transactions for the payer, the transfer last');
    },
    /** Yields at least on every new head, with a cursor to resume from. What is not seen is lost money; silence delays and never throws. */
    watchDeposits: async function* (_cursor, _signal, _wanted) {
      yield* await Promise.reject<DepositBatch[]>(
        missing('watchDeposits: follow blocks from the cursor, report deposits, heads and finality'),
      );
    },
    /** Asks the watcher to look now. A hint, never a source of truth. */
    hint: (_transactionHash) => undefined,
    /** Blocks that must follow before a deposit of this value is acted on: more for more, never more than finality. */
    acceptDepth: (_valueMicroUsd) => {
      throw missing('acceptDepth: how many blocks must follow, by value');
    },
    /** How many nodes must tell of it before it is acted on: more for more; 1 where the one that is watched is believed. */
    quorum: (_valueMicroUsd) => {
      throw missing('quorum: how many nodes must agree, by value');
    },
    /** One answer per sighting: whether so many nodes tell of exactly this transfer in this block. What is not known is false. */
    witness: async (_sightings) => {
      throw missing('witness: ask every node about each transfer');
    },
  };
}
