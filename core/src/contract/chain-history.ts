import type { OrderId, UnixMs, UnixSeconds } from './ids.js';
import type { LegInstruction, LegPaid } from './legs.js';
import type { TransactionEntry } from './transactions.js';

/** The chain's past, independent of this ledger. */
export interface ChainHistory {
  /**
   * Transaction that spent the once-only use of a leg, under any key; undefined while it is unspent at the head.
   * Rejects if it is spent and the transaction cannot be found.
   *
   * @param since nothing spent it earlier, so history before it need not be read. 0: no such time is known.
   */
  paidBy(leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined>;
  /**
   * Proof that the order was not and never can be filled: requires a final block past the deadline.
   *
   * @param since nothing filled it earlier, as for `paidBy`.
   * @param recipient of the order's fill, for chains whose fills carry only the short form of an order id.
   */
  unfilledForGood(orderId: OrderId, deadline: UnixSeconds, since: UnixMs, recipient?: string): Promise<boolean>;
  describeTransaction(hash: string): Promise<TransactionEntry | undefined>;
}
