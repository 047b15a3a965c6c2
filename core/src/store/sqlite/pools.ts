import knexFactory, { type Knex } from 'knex';
import type sqlite3 from 'sqlite3';
import type { Logger } from '../../contract/observability.js';
import { connectionOf } from './connection.js';
import { keepPrepared, MAX_STATEMENTS } from './prepared.js';
import { REFUSING_TABLES } from './write.js';

const BUSY_TIMEOUT_MS = 5_000;

/** Durable commits: WAL, with an fsync before each commit returns. */
const WRITER = [
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  'pragma foreign_keys = on',
  `pragma busy_timeout = ${BUSY_TIMEOUT_MS}`,
  'pragma cache_size = -65536',
  'pragma temp_store = memory',
  'pragma wal_autocheckpoint = 4000',
  ...REFUSING_TABLES,
];

const READER = ['pragma query_only = on', `pragma busy_timeout = ${BUSY_TIMEOUT_MS}`, 'pragma cache_size = -16384'];

/**
 * The single writing connection. Several connections that read and then write meet SQLITE_BUSY despite the time-out
 * (145 of 200 measured), because a snapshot cannot become a writer after another write.
 */
export function writerPool(file: string, log: Logger): Knex {
  return pool(file, log, WRITER, 1, (database) => keepPrepared(database, MAX_STATEMENTS.writer));
}

export function readerPool(file: string, log: Logger): Knex {
  return pool(file, log, READER, 3, (database) => keepPrepared(database, MAX_STATEMENTS.reader));
}

function pool(
  file: string,
  log: Logger,
  statements: readonly string[],
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
        setUp(database, statements).then(
          () => done(null, database),
          (error: unknown) => done(error as Error, database),
        );
      },
    },
  });
}

function loggerFor(log: Logger): NonNullable<Knex.Config['log']> {
  const quietly = (message: unknown) => log.debug({ from: 'knex' }, String(message));
  return { warn: quietly, error: quietly, debug: quietly, deprecate: quietly };
}

async function setUp(database: sqlite3.Database, statements: readonly string[]): Promise<void> {
  const connection = connectionOf(database);
  for (const statement of statements) await connection.all(statement);
}
