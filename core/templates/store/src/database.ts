import { type ChainId, type Clock, type Logger, NotWrittenError } from '@causeway/core';

/** What a store works with. */
export interface DatabaseOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Chains whose requests `search` shows only to callers that were granted them. Asked at each search. */
  readonly hiddenChains: () => readonly ChainId[];
}

const missing = (what: string) => new NotWrittenError(what, 'src/database.ts');

/**
 * The connection. Trouble of the database is `StoreUnavailableError`, a commit whose outcome is not known `CommitUnknownError`, a
 * database that lost commits `DatabaseWentBackError`; everything else is a fault.
 */
export class Database {
  readonly options: DatabaseOptions;

  constructor(options: DatabaseOptions) {
    this.options = options;
  }

  /** Connects and brings the tables up to date; rejects where another process has a database that serves one. */
  async open(): Promise<void> {
    throw missing('Database.open: connect, and bring the tables up to date');
  }

  /** Releases everything. Also where it was never opened. */
  async close(): Promise<void> {}

  /** Proves that it answers. */
  async ping(): Promise<void> {
    throw missing('Database.ping: prove that it answers');
  }
}
