import type { Store } from '../contract/store.js';

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
