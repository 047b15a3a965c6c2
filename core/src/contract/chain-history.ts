import type { OrderId, UnixMs, UnixSeconds } from './ids.js';
import type { LegInstruction, LegPaid } from './legs.js';
import type { TransactionEntry } from './transactions.js';

export interface ChainHistory {
  /**
   * Transaction that spent a leg's once-only use, under any key; undefined while unspent at the head. Rejects if the
   * transaction cannot be found.
   *
   * @param since nothing spent it earlier, which bounds the search. 0: unknown.
   */
  paidBy(leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined>;
  /**
   * Proof that the order was not and never can be filled: requires a final block past the deadline.
   *
   * @param since nothing filled it earlier, as for `paidBy`.
   * @param recipient of the order's fill, for chains whose fills carry only the short form of an order id.
   */
  unfilledForGood(orderId: OrderId, deadline: UnixSeconds, since: UnixMs, recipient?: string): Promise<boolean>;
  /**
   * For clients. Undefined until the transaction is mined.
   *
   * @throws TooMuchToDescribeError
   */
  describeTransaction(hash: string): Promise<TransactionEntry | undefined>;
}
