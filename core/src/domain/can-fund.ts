import type { ChainId } from '../contract/ids.js';
import { priceExactInput } from './fees.js';
import type { QuoteBody } from './quote.js';

type Order = Pick<
  QuoteBody,
  'origin' | 'tradeType' | 'amountIn' | 'minimumAmount' | 'lateMinimumAmount' | 'terms' | 'tombstone' | 'payerSwap'
>;

/**
 * Whether a transfer could pay for an order's fill. Only such a transfer owns the order (decision 33), because anyone
 * who sees an order id can send dust under it. Depends on the promise alone, so the answer never changes.
 */
export function canFund(
  order: Order,
  transfer: { readonly chainId: ChainId; readonly currency: string; readonly amount: bigint },
): boolean {
  if (order.tombstone) return true;
  // Its payer executes it: no deposit was promised anything.
  // guard: own-orders-no-deposit
  if (order.payerSwap) return false;
  if (transfer.chainId !== order.origin.chainId || transfer.currency !== order.origin.currency) return false;
  if (transfer.amount >= BigInt(order.amountIn)) return true;
  if (order.tradeType === 'EXACT_OUTPUT') return false;
  const priced = priceExactInput(transfer.amount, order.terms);
  return priced.ok && priced.amounts.amountOut >= leastOutput(order);
}

function leastOutput({ minimumAmount, lateMinimumAmount }: Order): bigint {
  const onTime = BigInt(minimumAmount);
  const late = BigInt(lateMinimumAmount ?? minimumAmount);
  return late < onTime ? late : onTime;
}
