import type { DepositObservation } from '../../contract/deposits.js';
import type { ChainId } from '../../contract/ids.js';
import type { NonceMappingRow, SentBy } from '../../contract/nonce-mappings.js';
import type { DepositRow } from '../../contract/store-rows.js';

type Seen = Pick<DepositObservation, 'orderId' | 'depositor' | 'depositAddress' | 'sentBy'>;

export function nonceMappingId(chainId: ChainId, { account, nonce }: SentBy): NonceMappingRow['id'] {
  return `${chainId}:${account}:${nonce}`;
}

/**
 * Undefined where no mapping may name the transfer's order.
 *
 * Invariants (G4): a transfer that carries an order is never given another; a mapping gives away no one else's money,
 * because the account that signed it is the one that paid.
 */
export function mappableBy({ orderId, depositor, depositAddress, sentBy }: Seen): SentBy | undefined {
  // guard: mapped-transfer-names-nothing
  if (orderId !== null || depositAddress !== null) return undefined;
  // guard: mapped-by-its-payer
  if (sentBy?.account !== depositor) return undefined;
  return sentBy;
}

/** Field of the deposit's row. */
export function senderNonceText(seen: Seen): DepositRow['senderNonce'] {
  const sentBy = mappableBy(seen);
  return sentBy === undefined ? null : JSON.stringify({ account: sentBy.account, nonce: sentBy.nonce });
}

export function readSenderNonce({ senderNonce }: Pick<DepositRow, 'senderNonce'>): SentBy | undefined {
  return senderNonce === null ? undefined : (JSON.parse(senderNonce) as SentBy);
}

/** Without an order now: a ledger that lost the mapping may have filled one for it. */
export function mayHaveBeenMapped({ orderId, senderNonce }: Pick<DepositRow, 'orderId' | 'senderNonce'>): boolean {
  return orderId === null && senderNonce !== null;
}
