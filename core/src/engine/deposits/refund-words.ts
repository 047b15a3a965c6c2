import type { DepositRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import type { EngineContext } from '../base/context.js';

/**
 * Why a transfer for an order did not fund it, for those who wait for the order. Anyone can name an order, so the words
 * say no more than what the chain shows, and with which transaction.
 */
export function refundWords(
  { chains }: Pick<EngineContext, 'chains'>,
  { amount, chainId, currency, depositor, transactionHash }: DepositRow,
  { amountIn, origin, payerSwap }: QuoteBody,
  reason: FailReason,
): string | undefined {
  const nameOf = (id: number) => chains.get(id)?.facts.displayName ?? `chain ${id}`;
  const symbol = chains.get(chainId)?.currency(currency)?.symbol ?? currency;
  const how = `${depositor === '' ? '' : `from ${depositor} `}with ${transactionHash}`;
  const arrived = `${amount} ${symbol} (smallest unit) arrived on ${nameOf(chainId)} ${how}`;
  const wanted = `pay ${amountIn} ${origin.symbol} (smallest unit) on ${nameOf(origin.chainId)}.`;
  if (payerSwap !== undefined && reason === 'ORPHANED_DEPOSIT_REFUND')
    return `${arrived}, and is refunded: the order is executed by its payer and takes no deposits.`;
  switch (reason) {
    case 'DEPOSIT_CHAIN_MISMATCH':
      return `${arrived}, and is refunded: the order is paid on another chain. To have it filled, ${wanted}`;
    case 'INCORRECT_DEPOSIT_CURRENCY':
      return `${arrived}, and is refunded: the order is paid in another currency. To have it filled, ${wanted}`;
    case 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL':
      return (
        `${amount} of ${amountIn} ${origin.symbol} (smallest unit) arrived ${how}: too little to fill the ` +
        'order, and refunded. Transfers of several transactions are not added up: pay the whole amount with one.'
      );
    default:
      return undefined;
  }
}
