import { type ChainDeposits, type DepositBatch, NotWrittenError } from '@causeway/core';
import type { Chain } from './adapter.js';

const missing = (what: string) => new NotWrittenError(what, 'src/deposits.ts');

/**
 * Incoming payments. A deposit is a successful transfer of a configured currency to the depository, sent from any account except
 * the solver's own.
 */
export function deposits(_chain: Chain): ChainDeposits {
  return {
    /** Returns the payer's unsigned transactions in order; the last one is the transfer, and carries the order id. No I/O. */
    depositSteps: (_input) => {
      throw missing('depositSteps: return the unsigned transactions of the payer, the transfer last');
    },
    /**
     * Yields a batch at least on every new head, with the cursor to resume from. Must not skip a deposit: its payer would
     * lose the money. If nodes do not answer, wait; do not throw.
     */
    watchDeposits: async function* (_cursor, _signal, _wanted) {
      yield* await Promise.reject<DepositBatch[]>(
        missing('watchDeposits: follow blocks from the cursor; yield deposits, head and finality'),
      );
    },
    /** A transaction that may be a deposit: may make the watcher poll early, at most once per poll interval. Not evidence. */
    hint: (_transactionHash) => undefined,
    /** Confirmations required before a deposit of this value (micro-USD) is accepted. Higher for higher values, at most until finality. */
    acceptDepth: (_valueMicroUsd) => {
      throw missing('acceptDepth: return the required confirmations for a value');
    },
    /** Number of nodes that must report a deposit of this value (micro-USD). 1: the watched node suffices. No I/O. */
    quorum: (_valueMicroUsd) => {
      throw missing('quorum: return how many nodes must report a deposit of a value');
    },
    /**
     * One boolean per sighting, in order: true if at least `providers` nodes report the same transfer in the same block and
     * none contradicts. Otherwise, and if unknown, false.
     */
    witness: async (_sightings) => {
      throw missing('witness: ask every node for each transfer');
    },
  };
}
