export { runStoreCase, type StoreCase, type StoreHarness, storeConformance } from './store-conformance.js';
