import { NotWrittenError, type Store } from '@causeway/core';
import type { Database } from './database.js';

const missing = (what: string) => new NotWrittenError(what, 'src/leases.ts');

/**
 * Claims of work. Time is the database's own, which all processes share; a lease that changes hands, or was given up, gets a greater
 * token, and what an older holder still writes is fenced off by `apply`.
 */
export function leasesOf(_database: Database): Pick<Store, 'claimLeases' | 'releaseLeases'> {
  return {
    claimLeases: async (_scopes, _owner, _ttlMs) => {
      throw missing('claimLeases: take what is free, has run out or is ours already');
    },
    releaseLeases: async (_leases, _owner) => {
      throw missing('releaseLeases: give up what is still ours');
    },
  };
}
