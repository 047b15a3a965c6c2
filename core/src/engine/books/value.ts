import type { DepositObservation } from '../../contract/deposits.js';
import type { ChainId } from '../../contract/ids.js';
import { isPrice, valueMicroUsd } from '../../domain/money.js';
import type { QuoteBody } from '../../domain/quote.js';
import { chainOf, type EngineContext } from '../base/context.js';

/** Rounded up so that rounding never passes a limit. Zero when unpriceable. */
export function microUsdOf(
  context: Pick<EngineContext, 'chains' | 'prices'>,
  chainId: ChainId,
  currency: string,
  amount: bigint,
): bigint {
  const known = chainOf(context, chainId).currency(currency);
  if (!known) return 0n;
  const price = context.prices.price(known);
  return price.ok ? valueMicroUsd(amount, known.decimals, price.usd, 'ceil') : 0n;
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * For accept depth, exposure and limits, micro-USD: the greater of input and promised output. During a price outage
 * the quote's prices count, so that a deposit does not look small. Zero without a quote. At most the greatest safe
 * integer: anyone can mint a test token.
 */
export function depositValue(context: EngineContext, seen: DepositObservation, quote: QuoteBody | undefined): number {
  const known = chainOf(context, seen.chainId).currency(seen.currency);
  if (!known) return 0;
  const price = context.prices.price(known);
  const quoted = quote?.origin.chainId === seen.chainId && quote.origin.currency === seen.currency;
  const usd = price.ok ? price.usd : quoted && isPrice(quote.terms.inUsd) ? quote.terms.inUsd : null;
  if (usd === null) return 0;
  const paid = valueMicroUsd(seen.amount, known.decimals, usd, 'ceil');
  const value = higherOf(paid, quoted ? promisedValue(context, quote) : 0n);
  return Number(value < MAX_SAFE ? value : MAX_SAFE);
}

function promisedValue(context: EngineContext, { destination, amountOut }: QuoteBody): bigint {
  const { chainId, currency } = destination;
  return context.chains.has(chainId) ? microUsdOf(context, chainId, currency, BigInt(amountOut)) : 0n;
}

function higherOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
