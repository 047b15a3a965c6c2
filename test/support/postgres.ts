/** A PostgreSQL server for lanes that run the service on it. */
export { type PostgresServer, startOwnPostgres } from '../../plugins/storage-pg/test/support/postgres.js';
