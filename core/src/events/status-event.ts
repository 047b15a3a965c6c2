import { type EventAddressView, eventAddressView } from '../capabilities/deposit-addresses/record.js';
import type { EventRow, RequestRow, TransactionRow } from '../contract/store-rows.js';
import type { FailReason } from '../errors/fail-reasons.js';

export interface StatusEventData {
  readonly requestId: string;
  /** Of a transfer that did not fund its order, which names the request that the client knows. Null: the request itself. */
  readonly parentRequestId: string | null;
  readonly status: string;
  readonly inTxHashes: readonly string[];
  readonly txHashes: readonly string[];
  /** Unix milliseconds. */
  readonly updatedAt: number;
  readonly originChainId: number;
  readonly destinationChainId: number;
  readonly failReason: string;
  readonly refundFailReason: string;
  readonly details: string | null;
  readonly depositAddress: EventAddressView | null;
  readonly referrer: string | null;
}

const FAILED: ReadonlySet<string> = new Set(['failure', 'fallback', 'refund']);

/** `N/A` for a status that is not failing; then the recorded reason or `UNKNOWN`. */
export function publicFailReason(status: string, reason: FailReason | null): FailReason {
  return FAILED.has(status) ? (reason ?? 'UNKNOWN') : 'N/A';
}

/** By side, oldest first. Excludes failed fills, and replaced or reorged deposits once another one is valid. */
export function transactionHashes(transactions: readonly Pick<TransactionRow, 'role' | 'hash' | 'status'>[]): {
  readonly in: string[];
  readonly out: string[];
} {
  const deposits = transactions.filter(({ role }) => role === 'deposit');
  const standing = deposits.filter(({ status }) => status === 'success');
  const paid = transactions.filter(({ role }) => role === 'fill' || role === 'refund');
  const hashes = (entries: typeof transactions) => entries.map(({ hash }) => hash);
  return { in: hashes(standing.length > 0 ? standing : deposits), out: hashes(paid) };
}

export function statusEvent(
  request: RequestRow,
  transactions: readonly Pick<TransactionRow, 'role' | 'hash' | 'status'>[],
  sequence: number,
  now: number,
): EventRow {
  const hashes = transactionHashes(transactions);
  const data: StatusEventData = {
    requestId: request.id,
    parentRequestId: request.parentRequestId,
    status: request.status,
    inTxHashes: hashes.in,
    txHashes: hashes.out,
    updatedAt: now,
    originChainId: request.originChainId,
    destinationChainId: request.destinationChainId,
    failReason: publicFailReason(request.status, request.failReason),
    refundFailReason: request.refundFailReason ?? 'N/A',
    details: request.details,
    depositAddress: eventAddressView(request, transactions),
    referrer: request.referrer,
  };
  return {
    id: `${request.id}:${sequence}`,
    requestId: request.id,
    sequence,
    kind: 'request.status.updated',
    payload: JSON.stringify({ event: 'request.status.updated', timestamp: now, data }),
    createdAt: now,
  };
}
