export { realClock } from '../ports/system-clock.js';
export {
  type MemorySnapshot,
  type MemoryStore,
  type MemoryStoreOptions,
  memoryStore,
} from '../store/memory/memory-store.js';
export { chainConformance } from './chain/chain-conformance.js';
export type * from './chain/chain-harness.js';
export { type ClockAhead, clockAhead } from './clock-ahead.js';
export { fakeAddress } from './fake-chain/cheap-hash.js';
export { fakeChain } from './fake-chain/fake-chain.js';
export { FakeChainHarness } from './fake-chain/fake-chain-harness.js';
export type * from './fake-chain/fake-chain-types.js';
export { freePorts } from './free-ports.js';
export { liquidityConformance } from './liquidity/liquidity-conformance.js';
export type * from './liquidity/liquidity-harness.js';
export { notifierConformance } from './notifier/notifier-conformance.js';
export type * from './notifier/notifier-harness.js';
export { priceConformance } from './prices/price-conformance.js';
export type * from './prices/price-harness.js';
export * from './proxies/index.js';
export { type RegisteredAlone, registerAlone } from './register-alone.js';
export { type ConformanceKit, type RunOptions, runCase, runConformance } from './report.js';
export type * from './report-types.js';
export { screenerConformance } from './screening/screener-conformance.js';
export type * from './screening/screener-harness.js';
export { SeededRandom } from './seeded-random.js';
export { type RunEnd, type RunLimits, SimClock, SimProcessClock } from './sim-clock.js';
export * from './simulation/index.js';
export type { StoreCase, StoreHarness } from './store-case.js';
export { runStoreCase, storeConformance } from './store-conformance.js';
export { type WorkStep, workList } from './work-list.js';
