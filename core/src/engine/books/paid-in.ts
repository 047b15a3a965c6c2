import type { UnixMs } from '../../contract/ids.js';
import type { DepositRow } from '../../contract/store-rows.js';

/** By the chain's clock, else first sight; 0 for none. */
export function paidInAt(deposit: Pick<DepositRow, 'blockTime' | 'seenAt'> | undefined): UnixMs {
  return deposit?.blockTime ?? deposit?.seenAt ?? 0;
}
