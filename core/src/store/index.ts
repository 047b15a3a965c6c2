export { BackupError, backupDatabase, restoreDatabase } from './sqlite/backup.js';
export type { RestoredKeys } from './sqlite/kept-keys.js';
export { DatabaseInUseError } from './sqlite/lock.js';
export { type SqliteStore, type SqliteStoreOptions, sqliteStore } from './sqlite/store.js';
