import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { LegRow } from '../../contract/store-rows.js';
import { valueMicroUsd } from '../../domain/money.js';
import type { PriceBook } from '../../domain/price-book.js';
import type { QuoteBody } from '../../domain/quote.js';

export interface Values {
  readonly chains: ReadonlyMap<ChainId, Pick<ChainAdapter, 'facts'>>;
  readonly prices: Pick<PriceBook, 'price'>;
}

/**
 * Gas of a sponsored fill's failed transactions that the refund of its deposit cannot bear; micro-USD, rounded up. The fees that
 * a balance pays are not in the deposit, which may be of one unit.
 *
 * Not guaranteed: without a price of the coin it is zero.
 */
export function gasBeyondDeposit(
  { chains, prices }: Values,
  { terms }: Pick<QuoteBody, 'terms'>,
  { chainId, spent, covers }: Pick<LegRow, 'chainId' | 'spent' | 'covers'>,
): bigint {
  const coin = spent === 0n ? undefined : chains.get(chainId)?.facts.currency;
  const price = coin && prices.price(coin);
  if (!coin || !price?.ok) return 0n;
  const beyond =
    valueMicroUsd(spent, coin.decimals, price.usd, 'ceil') -
    valueMicroUsd(covers, terms.inDecimals, terms.inUsd, 'floor');
  return beyond > 0n ? beyond : 0n;
}
