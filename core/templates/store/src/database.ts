import { type ChainId, type Clock, type Logger, NotWrittenError } from '@causeway/core';

/** Dependencies of the store. */
export interface DatabaseOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Chains whose requests `search` shows only to callers with access to the chain. Called at each search. */
  readonly hiddenChains: () => readonly ChainId[];
}

const missing = (what: string) => new NotWrittenError(what, 'src/database.ts');

/**
 * The database connection. Throws `StoreUnavailableError` if the database is unavailable and nothing was written, `CommitUnknownError`
 * if the outcome of a commit is unknown, `DatabaseWentBackError` if the database lost commits. Any other error counts as a bug.
 */
export class Database {
  readonly options: DatabaseOptions;

  constructor(options: DatabaseOptions) {
    this.options = options;
  }

  /** Connects and migrates the tables. If the database serves only one process, rejects while another has it open. */
  async open(): Promise<void> {
    throw missing('Database.open: connect and migrate the tables');
  }

  /** Releases all connections. Must not fail if the database was never opened. */
  async close(): Promise<void> {}

  /** Rejects if the database does not answer. */
  async ping(): Promise<void> {
    throw missing('Database.ping: reject if the database does not answer');
  }
}
