import type { StoreCase, StoreHarness } from './store-case.js';
import { applyCases } from './store-cases-apply.js';
import { bookCases } from './store-cases-books.js';
import { concurrencyCases } from './store-cases-concurrency.js';
import { leaseCases } from './store-cases-leases.js';
import { readCases } from './store-cases-reads.js';
import { searchCases } from './store-cases-search.js';

/**
 * What every store must keep, for any test runner:
 *
 *     for (const check of storeConformance) {
 *       it(check.name, () => runStoreCase(check, makeHarness));
 *     }
 */
export const storeConformance: readonly StoreCase[] = [
  ...applyCases,
  ...bookCases,
  ...concurrencyCases,
  ...leaseCases,
  ...readCases,
  ...searchCases,
];

/** Runs a case on a store of its own and disposes of it whatever happens. */
export async function runStoreCase(check: StoreCase, make: () => Promise<StoreHarness>): Promise<void> {
  const harness = await make();
  try {
    await check.run(harness);
  } finally {
    await harness.dispose();
  }
}
