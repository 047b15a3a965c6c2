import { NotWrittenError, type Store } from '@causeway/core';
import type { Database } from '../database.js';

const missing = (what: string) => new NotWrittenError(what, 'src/reads/legs.ts');

/**
 * Reads of legs, keys, attempts, lanes, cursors and pots.
 *
 * Each read returns one committed snapshot. `Store` documents order and limits of each method.
 */
export function legsReads(
  _database: Database,
): Pick<
  Store,
  | 'legs'
  | 'legsOfRequests'
  | 'legsOfDeposits'
  | 'claimDue'
  | 'openKeys'
  | 'keysOfLegs'
  | 'waiting'
  | 'attemptsByHash'
  | 'lane'
  | 'lanes'
  | 'cursor'
  | 'pots'
  | 'pot'
  | 'undescribed'
> {
  return {
    legs: async (_ids) => {
      throw missing('legs: return legs by id');
    },
    legsOfRequests: async (_ids) => {
      throw missing('legsOfRequests: return legs by the ids of their requests');
    },
    legsOfDeposits: async (_keys) => {
      throw missing('legsOfDeposits: return legs by the funding keys of their deposits');
    },
    claimDue: async (_chainId, _signer, _now, _limit) => {
      throw missing('claimDue: return `owed` or `short` legs of a lane with `dueAt` reached, oldest first');
    },
    openKeys: async (_chainId, _signer, _limit) => {
      throw missing('openKeys: return open keys of a lane, with their attempts and legs');
    },
    /** Attempts by transaction hash. */
    keysOfLegs: async (_ids) => {
      throw missing('keysOfLegs: the keys that ever carried these legs');
    },
    waiting: async (_chainId, _signer, _limit) => {
      throw missing("waiting: return the number of a lane's unsent legs and open keys without inclusion");
    },
    attemptsByHash: async (_chainId, _hashes) => {
      throw missing('attemptsByHash: return attempts by transaction hash');
    },
    lane: async (_chainId, _signer) => {
      throw missing('lane: return a lane by chain and signer');
    },
    lanes: async () => {
      throw missing('lanes: return all lanes');
    },
    cursor: async (_chainId) => {
      throw missing('cursor: return the position at which the watcher of a chain resumes');
    },
    pots: async (_prefix) => {
      throw missing('pots: return pots whose account starts with a prefix');
    },
    pot: async (_account) => {
      throw missing('pot: return the total of a pot, smallest unit');
    },
    undescribed: async (_limit) => {
      throw missing('undescribed: return transactions in a block without an entry in the record, oldest first');
    },
  };
}
