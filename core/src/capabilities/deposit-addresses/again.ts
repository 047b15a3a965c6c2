import type { Clock } from '../../contract/clock.js';
import type { AddressRow } from '../../contract/deposit-addresses.js';
import type { ChainId, UnixMs } from '../../contract/ids.js';
import type { Change, Store } from '../../contract/store.js';
import { replaceMeta } from '../../domain/meta-rows.js';
import { HOT_MS } from './hot.js';

/**
 * Addresses of one chain in the row. If there are more, the watcher finds the oldest when it next reads all addresses.
 */
const MAX_NAMED = 500;

export type AskedAgain = readonly [address: string, hotUntil: UnixMs];

/** Row of `meta` with addresses to watch again. The watcher of the chain reads it, in any process. */
export function againKey(chainId: ChainId): string {
  return `addresses-again:${chainId}`;
}

/** Oldest first. */
export function readAskedAgain(value: string | undefined): readonly AskedAgain[] {
  return value === undefined ? [] : (JSON.parse(value) as readonly AskedAgain[]);
}

/**
 * Lets an address be watched at every block again, as after its quote, also after a long time without use. Durable; the
 * watcher reads it at its next head. Rejects on infrastructure failure.
 */
export async function watchAgain(
  { store, clock }: { readonly store: Pick<Store, 'apply' | 'meta'>; readonly clock: Pick<Clock, 'now'> },
  { id, version, chainId, address, hotUntil: before }: AddressRow,
): Promise<void> {
  const now = clock.now();
  const hotUntil = now + HOT_MS;
  const hot: Change = { op: 'update', table: 'addresses', key: { id }, version, set: { hotUntil } };
  // A conflict means that another call did the same.
  await store.apply({ name: 'addresses.again', changes: [hot] });
  if (before > now) return;
  await replaceMeta(store, 'addresses.name', againKey(chainId), (value) => {
    const others = readAskedAgain(value).filter(([one]) => one !== address);
    return JSON.stringify([...others, [address, hotUntil]].slice(-MAX_NAMED));
  });
}
