import type { MetaRow } from '../contract/store-rows.js';

/**
 * Key of the name of a ledger's unbroken life. Whoever opens the store draws another name wherever it cannot prove that
 * the ledger still has every attempt that was ever made durable in it; a store that can prove nothing leaves no name.
 *
 * Invariant (G5, G15): where the name stayed the same, every transaction that may have been sent by this ledger is in it.
 */
export const EPOCH_MARK = 'epoch';

/** What has to be the same: the name, and how often and when an operator, or the store, said that it was put back. */
export function lifeOf(epoch: MetaRow | undefined, restored: MetaRow | undefined): string | undefined {
  if (epoch === undefined) return undefined;
  return restored === undefined ? epoch.value : `${epoch.value} ${restored.version} ${restored.value}`;
}
