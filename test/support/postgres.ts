export {
  connected,
  type OwnPostgres,
  type PostgresServer,
  startOwnPostgres,
} from '../../plugins/storage-pg/test/support/postgres.js';
export { type Standby, standbyOf } from '../../plugins/storage-pg/test/support/standby.js';
