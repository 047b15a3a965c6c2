import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { AddressRow } from '../../contract/deposit-addresses.js';
import type { UnixMs } from '../../contract/ids.js';

/** A new address is watched at every block for this long, and again after `watchAgain`. Milliseconds. */
export const HOT_MS = 7 * 86_400_000;

/** Watched at every block; other addresses are watched once an hour. */
export function isHot(
  { capabilities }: Pick<ChainAdapter, 'capabilities'>,
  { hotUntil }: Pick<AddressRow, 'hotUntil'>,
  now: UnixMs,
): boolean {
  return hotUntil > now || capabilities.depositAddresses?.watchesAll === true;
}
