import type { Store } from '../contract/store.js';
import { applyCases } from './store-cases-apply.js';
import { bookCases } from './store-cases-books.js';
import { concurrencyCases } from './store-cases-concurrency.js';
import { readCases } from './store-cases-reads.js';
import { searchCases } from './store-cases-search.js';

/** One empty store under test. */
export interface StoreHarness {
  /** Open. */
  readonly store: Store;
  /** Closes the store and opens another on the same data. */
  reopen(): Promise<Store>;
  /** Closes whatever is open and removes the data. */
  dispose(): Promise<void>;
}

export interface StoreCase {
  readonly name: string;
  /** Rejects with an assertion error when the store does not keep its contract. */
  run(harness: StoreHarness): Promise<void>;
}

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
