export * from './proxies/index.js';
export type { StoreCase, StoreHarness } from './store-case.js';
export { runStoreCase, storeConformance } from './store-conformance.js';
