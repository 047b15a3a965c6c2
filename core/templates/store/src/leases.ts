import { NotWrittenError, type Store } from '@causeway/core';
import type { Database } from './database.js';

const missing = (what: string) => new NotWrittenError(what, 'src/leases.ts');

/**
 * Leases: the right of one process to work on a chain or a lane until they expire by the database's clock. A lease that changes its
 * owner, or was released, gets a higher token; `apply` refuses change sets with an older one.
 */
export function leasesOf(_database: Database): Pick<Store, 'claimLeases' | 'releaseLeases'> {
  return {
    claimLeases: async (_scopes, _owner, _ttlMs) => {
      throw missing('claimLeases: claim the leases that are free, expired or already held by this owner');
    },
    releaseLeases: async (_leases, _owner) => {
      throw missing('releaseLeases: release the leases that this owner still holds');
    },
  };
}
