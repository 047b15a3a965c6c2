export {
  type MemorySnapshot,
  type MemoryStore,
  type MemoryStoreOptions,
  memoryStore,
} from '../store/memory/memory-store.js';
export { chainConformance } from './chain/chain-conformance.js';
export type * from './chain/chain-harness.js';
export * from './proxies/index.js';
export { type ConformanceKit, type RunOptions, runCase, runConformance } from './report.js';
export type * from './report-types.js';
export * from './simulation/index.js';
export type { StoreCase, StoreHarness } from './store-case.js';
export { runStoreCase, storeConformance } from './store-conformance.js';
