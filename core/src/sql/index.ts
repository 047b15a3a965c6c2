/** For plugins that implement the store contract on an SQL database. */
export { RESTORED_MARK } from '../domain/restored.js';
export { type MigrateOptions, migrate } from '../store/migrations/index.js';
export type { Migration } from '../store/migrations/migration.js';
export { type InsertStep, type PreparedSet, prepareSet, type Step } from '../store/prepare.js';
export { claimDue } from '../store/reads/legs.js';
export { type Reader, rowsOf } from '../store/reads/reader.js';
export { type ReadingDeps, storeReads } from '../store/reads/store-reads.js';
export {
  DELIVERY_LIFE_MS,
  EARMARK_LIFE_MS,
  endedCounters,
  HINT_LIFE_MS,
  IDEMPOTENCY_LIFE_MS,
  QUOTE_LIFE_MS,
  quoteBounds,
  tombstoneOf,
} from '../store/retention.js';
export { type Cell, decodeRow, decodeRows, encodeRow, type RawRow } from '../store/rows.js';
export { type Column, schemaOf, TABLES, type TableSchema, type UniqueKey } from '../store/schema.js';
