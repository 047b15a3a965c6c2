import { NotWrittenError, type Store } from '@causeway/core';
import type { Database } from '../database.js';

const missing = (what: string) => new NotWrittenError(what, 'src/reads/legs.ts');

/** What is owed, and what was signed for it. Each read sees one committed snapshot; order and bounds of each are said where `Store` declares it. */
export function legsReads(
  _database: Database,
): Pick<
  Store,
  | 'legs'
  | 'legsOfRequests'
  | 'legsOfDeposits'
  | 'claimDue'
  | 'openKeys'
  | 'attemptsByHash'
  | 'lane'
  | 'lanes'
  | 'cursor'
  | 'pots'
  | 'pot'
  | 'undescribed'
> {
  return {
    /** Legs by their ids. */
    legs: async (_ids) => {
      throw missing('legs: legs by their ids');
    },
    /** Legs of requests. */
    legsOfRequests: async (_ids) => {
      throw missing('legsOfRequests: legs of requests');
    },
    /** Legs of deposits. */
    legsOfDeposits: async (_keys) => {
      throw missing('legsOfDeposits: legs of deposits');
    },
    /** Legs of a lane that are due. */
    claimDue: async (_chainId, _signer, _now, _limit) => {
      throw missing('claimDue: legs of a lane that are due');
    },
    /** Keys of a lane that are not over, with their attempts and legs. */
    openKeys: async (_chainId, _signer, _limit) => {
      throw missing('openKeys: keys of a lane that are not over, with their attempts and legs');
    },
    /** Attempts by transaction hash. */
    attemptsByHash: async (_chainId, _hashes) => {
      throw missing('attemptsByHash: attempts by transaction hash');
    },
    /** A lane. */
    lane: async (_chainId, _signer) => {
      throw missing('lane: a lane');
    },
    /** All lanes. */
    lanes: async () => {
      throw missing('lanes: all lanes');
    },
    /** Where a watcher resumes. */
    cursor: async (_chainId) => {
      throw missing('cursor: where a watcher resumes');
    },
    /** Pots whose account begins so. */
    pots: async (_prefix) => {
      throw missing('pots: pots whose account begins so');
    },
    /** The sum of a pot. */
    pot: async (_account) => {
      throw missing('pot: the sum of a pot');
    },
    /** Transactions that the record lacks an entry of. */
    undescribed: async (_limit) => {
      throw missing('undescribed: transactions that the record lacks an entry of');
    },
  };
}
