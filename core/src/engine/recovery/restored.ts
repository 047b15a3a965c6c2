import type { UnixMs } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import { metaChange } from '../../domain/meta-rows.js';
import { RESTORED_MARK } from '../../domain/restored.js';

/**
 * Run before any process starts on a restored ledger. Its lost sends may wait outside all pools, so comparing lanes
 * does not find them: for all earlier deposits, the order's chain is asked before a refund.
 */
export async function markRestored(store: Store, at: UnixMs): Promise<void> {
  for (;;) {
    const before = await store.meta(RESTORED_MARK);
    // By two clocks: the later time counts, so that doubts stay.
    const value = String(Math.max(at, Number(before?.value ?? at)));
    const changes = [metaChange(before, RESTORED_MARK, value)];
    if ((await store.apply({ name: 'restored', changes })).ok) return;
  }
}

/** Null: never restored. */
export async function restoredAt(store: Pick<Store, 'meta'>): Promise<UnixMs | null> {
  const row = await store.meta(RESTORED_MARK);
  return row ? Number(row.value) : null;
}
