import type { ChainId } from '../contract/ids.js';
import { priceExactInput } from './fees.js';
import type { QuoteBody } from './quote.js';

type Order = Pick<
  QuoteBody,
  'origin' | 'tradeType' | 'amountIn' | 'minimumAmount' | 'lateMinimumAmount' | 'terms' | 'tombstone' | 'ownSwap'
>;

/**
 * Whether a transfer could pay for the fill of an order: on its chain, in its currency, and no less than what the least
 * output costs under the quote's own terms. Only such a transfer owns the order (decision 33): anybody who sees an order id can
 * send a unit under it, and a transfer that cannot fund the order must not keep another transfer from funding it.
 *
 * Decided by the promise alone, so the answer is the same whenever the transfer is met. An order whose terms are gone cannot
 * be filled any more, so it does not matter which transfer owns it.
 */
export function canFund(
  order: Order,
  transfer: { readonly chainId: ChainId; readonly currency: string; readonly amount: bigint },
): boolean {
  if (order.tombstone) return true;
  // Its payer executes it: nothing was promised for a deposit.
  if (order.ownSwap) return false;
  if (transfer.chainId !== order.origin.chainId || transfer.currency !== order.origin.currency) return false;
  if (transfer.amount >= BigInt(order.amountIn)) return true;
  if (order.tradeType === 'EXACT_OUTPUT') return false;
  const priced = priceExactInput(transfer.amount, order.terms);
  return priced.ok && priced.amounts.amountOut >= leastOutput(order);
}

/** Least output that counts as a fill of the order, on time or late. */
function leastOutput({ minimumAmount, lateMinimumAmount }: Order): bigint {
  const onTime = BigInt(minimumAmount);
  const late = BigInt(lateMinimumAmount ?? minimumAmount);
  return late < onTime ? late : onTime;
}
