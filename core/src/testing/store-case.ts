import type { Store } from '../contract/store.js';
import type { Guarantee, KitHarness } from './report-types.js';

/** One empty database and an open store on it. */
export interface StoreHarness extends KitHarness {
  readonly store: Store;
  /** Closes the store and opens another on the same data. */
  reopen(): Promise<Store>;
  /**
   * Another open store on the same data, as a second process has. Absent where one process has the database to itself;
   * races then run between callers of one store. It ends with `dispose`.
   */
  second?(): Promise<Store>;
  /**
   * Ends the store as a lost process would, in the midst of what it was given, and opens another on what is left.
   * Absent: a clean close stands in for it, which shows less.
   */
  crash?(): Promise<Store>;
  /** Closes whatever is open and removes the data. */
  dispose(): Promise<void>;
}

/** A case of the store kit; its subject and what else it guards come from its group. */
export interface StoreCase {
  readonly name: string;
  readonly guarantees?: readonly Guarantee[];
  /** Rejects with an assertion error when the store does not keep its contract. */
  run(harness: StoreHarness): Promise<void>;
}

/** Two stores that race each other: of two processes where the backend allows it, else one store twice. */
export async function rivals(harness: StoreHarness): Promise<readonly [Store, Store]> {
  return [harness.store, (await harness.second?.()) ?? harness.store];
}
