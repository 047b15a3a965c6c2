export { BackupError, backupDatabase, restoreDatabase } from './sqlite/backup.js';
export { DatabaseInUseError } from './sqlite/lock.js';
export { type SqliteStore, type SqliteStoreOptions, sqliteStore } from './sqlite/store.js';
