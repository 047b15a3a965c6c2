import type { MetaRow } from '../contract/store-rows.js';

/**
 * Key of the ledger's epoch name, replaced on open unless the ledger provably has every attempt ever stored in it.
 *
 * Invariant (G5, G15): while the name is unchanged, the ledger has every transaction that it may have sent.
 */
export const EPOCH_MARK = 'epoch';

/** Identity of the ledger's history: the epoch name, and the latest restore mark. */
export function lifeOf(epoch: MetaRow | undefined, restored: MetaRow | undefined): string | undefined {
  if (epoch === undefined) return undefined;
  return restored === undefined ? epoch.value : `${epoch.value} ${restored.version} ${restored.value}`;
}
