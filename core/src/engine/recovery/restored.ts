import type { UnixMs } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import { RESTORED_MARK } from '../../domain/restored.js';

/**
 * Tells a ledger that it was put back, before any process starts on it.
 *
 * What its lost part sent may wait where no pool shows it, as behind a transaction that was dropped, so comparing lanes
 * does not find it. Of whatever was paid in before, the chain of the order is asked before it is paid back.
 */
export async function markRestored(store: Store, at: UnixMs): Promise<void> {
  for (;;) {
    const before = await store.meta(RESTORED_MARK);
    // Two clocks may have written it: the later time counts, so that what was in doubt once stays in doubt.
    const value = String(Math.max(at, Number(before?.value ?? at)));
    const change = before
      ? ({
          op: 'update',
          table: 'meta',
          key: { key: RESTORED_MARK },
          version: before.version,
          set: { value },
        } as const)
      : ({ op: 'insert', table: 'meta', row: { key: RESTORED_MARK, version: 1, value } } as const);
    if ((await store.apply({ name: 'restored', changes: [change] })).ok) return;
  }
}

/** When it was put back last; null for a ledger that never was. */
export async function restoredAt(store: Pick<Store, 'meta'>): Promise<UnixMs | null> {
  const row = await store.meta(RESTORED_MARK);
  return row ? Number(row.value) : null;
}
