import knexFactory, { type Knex } from 'knex';
import type sqlite3 from 'sqlite3';
import type { Logger } from '../../contract/observability.js';
import { connectionOf } from './connection.js';
import { KEPT, keepPrepared } from './prepared.js';

const BUSY_TIMEOUT_MS = 5_000;

/** Durable after each commit: WAL, and an fsync of it before the commit returns. */
const WRITER = [
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  'pragma foreign_keys = on',
  `pragma busy_timeout = ${BUSY_TIMEOUT_MS}`,
  'pragma cache_size = -65536',
];

const READER = ['pragma query_only = on', `pragma busy_timeout = ${BUSY_TIMEOUT_MS}`, 'pragma cache_size = -16384'];

/**
 * The one writing connection. A pool of several that read and then write meets SQLITE_BUSY in spite of the time-out
 * (145 of 200 measured), because a snapshot cannot become a writer once somebody else has written.
 */
export function writerPool(file: string, log: Logger): Knex {
  return pool(file, log, WRITER, 1, (database) => keepPrepared(database, KEPT.writer));
}

export function readerPool(file: string, log: Logger): Knex {
  return pool(file, log, READER, 3, (database) => keepPrepared(database, KEPT.reader));
}

function pool(
  file: string,
  log: Logger,
  pragmas: readonly string[],
  size: number,
  prepare: (database: sqlite3.Database) => void,
): Knex {
  return knexFactory.knex({
    client: 'sqlite3',
    connection: { filename: file },
    useNullAsDefault: true,
    log: loggerFor(log),
    pool: {
      min: 1,
      max: size,
      afterCreate(database: sqlite3.Database, done: (error: Error | null, database: sqlite3.Database) => void) {
        prepare(database);
        setUp(database, pragmas).then(
          () => done(null, database),
          (error: unknown) => done(error as Error, database),
        );
      },
    },
  });
}

/** Knex reports what it also throws, so its errors are no news here. */
function loggerFor(log: Logger): NonNullable<Knex.Config['log']> {
  const quietly = (message: unknown) => log.debug({ from: 'knex' }, String(message));
  return { warn: quietly, error: quietly, debug: quietly, deprecate: quietly };
}

async function setUp(database: sqlite3.Database, pragmas: readonly string[]): Promise<void> {
  const connection = connectionOf(database);
  for (const pragma of pragmas) await connection.all(pragma);
}
