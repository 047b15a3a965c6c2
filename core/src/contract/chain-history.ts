import type { OrderId, UnixMs, UnixSeconds } from './ids.js';
import type { LegInstruction, LegPaid } from './legs.js';
import type { TransactionEntry } from './transactions.js';

/** What a chain tells of the past, whether this ledger knows of it or not. */
export interface ChainHistory {
  /**
   * What spent the once-only use of a leg, by whatever key; undefined while it is unspent at the head. Rejects where it
   * is spent and the transaction cannot be found.
   *
   * @param since nothing spent it before: a history need not be read further back. 0 where no such time is known.
   */
  paidBy(leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined>;
  /**
   * Proof that the order was not filled and never can be: false at a final block past the deadline.
   *
   * @param since nothing filled it before, as for `paidBy`.
   * @param recipient of the order's fill, for chains whose fills name only the first digits of an order id.
   */
  unfilledForGood(orderId: OrderId, deadline: UnixSeconds, since: UnixMs, recipient?: string): Promise<boolean>;
  describeTransaction(hash: string): Promise<TransactionEntry | undefined>;
}
