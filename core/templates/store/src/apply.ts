import { type ApplyOutcome, type ChangeSet, NotWrittenError } from '@causeway/core';
import type { Database } from './database.js';

/**
 * Applies all changes of a set in order, or none. Durable when it resolves. The only way in which money state changes.
 *
 * Invariants: the database checks every condition under its own locks; values cached in a process do not count. A row at another
 * version than the change names, an existing unique key, a counter beyond its bound and a lease with another token are conflicts, and
 * nothing of the set is written. Of two sets that exclude each other, exactly one is applied, in any order of arrival.
 *
 * @throws CommitUnknownError if the outcome of the commit is unknown; StoreUnavailableError if nothing was written.
 */
export async function applyTo(_database: Database, _set: ChangeSet): Promise<ApplyOutcome> {
  throw new NotWrittenError(
    'apply: apply all changes of a set in one transaction, or return a conflict',
    'src/apply.ts',
  );
}
