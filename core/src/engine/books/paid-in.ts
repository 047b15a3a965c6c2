import type { UnixMs } from '../../contract/ids.js';
import type { DepositRow } from '../../contract/store-rows.js';

/** When a deposit was paid in: by the clock of its chain, else when it was seen; 0 for none. */
export function paidInAt(deposit: Pick<DepositRow, 'blockTime' | 'seenAt'> | undefined): UnixMs {
  return deposit?.blockTime ?? deposit?.seenAt ?? 0;
}
