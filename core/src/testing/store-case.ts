import type { Store } from '../contract/store.js';
import type { Guarantee, KitHarness } from './report-types.js';

/** One empty database with an open store. */
export interface StoreHarness extends KitHarness {
  readonly store: Store;
  /** Closes the store and opens another on the same data. */
  reopen(): Promise<Store>;
  /**
   * A second process's store on the same data, ended by `dispose`. Absent for single-process databases: races then
   * use one store.
   */
  second?(): Promise<Store>;
  /** Kills the store amid pending work and opens another. Absent: a clean close, which proves less. */
  crash?(): Promise<Store>;
  /** Closes everything and removes the data. */
  dispose(): Promise<void>;
}

/** A case of the store kit; subject and further guarantees come from its group. */
export interface StoreCase {
  readonly name: string;
  readonly guarantees?: readonly Guarantee[];
  /** Rejects with an assertion error when the store breaks its contract. */
  run(harness: StoreHarness): Promise<void>;
}

/** Two racing stores, of two processes where the backend allows it. */
export async function rivals(harness: StoreHarness): Promise<readonly [Store, Store]> {
  return [harness.store, (await harness.second?.()) ?? harness.store];
}
