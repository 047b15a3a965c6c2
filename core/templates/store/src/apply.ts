import { type ApplyOutcome, type ChangeSet, NotWrittenError } from '@causeway/core';
import type { Database } from './database.js';

/**
 * The only way money state changes: all of a set or nothing, in order, durable when it resolves.
 *
 * Invariants: the database judges, never what a process remembers; a row that is not at the version that a change names, a unique key
 * that is there, a counter that would cross its bound and a lease with another token are conflicts, and leave nothing behind; of two sets
 * that exclude each other one wins, whatever their order of arrival.
 *
 * @throws CommitUnknownError where the outcome of the commit is not known; StoreUnavailableError where nothing was written.
 */
export async function applyTo(_database: Database, _set: ChangeSet): Promise<ApplyOutcome> {
  throw new NotWrittenError('apply: all changes of a set in one transaction, or a conflict', 'src/apply.ts');
}
