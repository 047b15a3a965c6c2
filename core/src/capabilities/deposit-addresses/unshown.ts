import type { DepositObservation } from '../../contract/deposits.js';
import type { UnixMs } from '../../contract/ids.js';
import type { DepositRow } from '../../contract/store-rows.js';
import type { EngineContext } from '../../engine/base/context.js';
import { paidInAt } from '../../engine/books/paid-in.js';
import { doubtedUntil } from '../../engine/recovery/index.js';

type Seen = Pick<DepositRow, 'depositAddress' | 'transactionHash'>;
/** A row, or what was observed. */
type Mappable = Pick<DepositObservation, 'orderId' | 'sentBy'> & Partial<Pick<DepositRow, 'senderNonce'>>;

/**
 * Whether the chain shows no transaction for a transfer: then only its range of the arrived sum identifies it, and two
 * transfers may be seen as one.
 */
export function isUnshown({ depositAddress, transactionHash }: Seen): boolean {
  return depositAddress !== null && transactionHash === '';
}

/** Alert id, raised until the transfer is decided. */
export function unshownAlert({ fundingKey }: Pick<DepositRow, 'fundingKey'>): string {
  return `unshown:${fundingKey}`;
}

/** As `doubtedUntil`; reads nothing where all transfers have a transaction and an order. */
export async function unshownUntil(
  context: Pick<EngineContext, 'store'>,
  seen: readonly (Seen & Mappable)[],
): Promise<UnixMs> {
  const some = seen.some((one) => isUnshown(one) || (one.orderId === null && (one.senderNonce ?? one.sentBy)));
  return some ? doubtedUntil(context) : Number.NEGATIVE_INFINITY;
}

/**
 * A restored ledger may divide such transfers differently, so that the chain shows neither fill nor refund under their
 * new keys: an operator decides.
 */
export function isDoubtful({ alerts }: Pick<EngineContext, 'alerts'>, row: DepositRow, until: UnixMs): boolean {
  // guard: unshown-after-restore
  const doubtful = isUnshown(row) && paidInAt(row) <= until;
  if (doubtful)
    alerts.raise(
      unshownAlert(row),
      'A transfer to a deposit address may have been filled or refunded before the database was restored',
      { fundingKey: row.fundingKey, requestId: row.requestId },
    );
  return doubtful;
}
