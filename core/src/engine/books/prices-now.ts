import type { Currency } from '../../contract/currency.js';
import { divide } from '../../domain/decimal.js';
import type { PriceTerms } from '../../domain/fees.js';
import { convert } from '../../domain/money.js';
import { groupPrice, type PairPrice } from '../../domain/pair-price.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { EngineContext } from '../base/context.js';

/**
 * What the pair of an order is exchanged at now; null while that cannot be told. Within a group an outage of prices changes
 * nothing: one for one is what was promised, and nobody knows better.
 */
export function pairNow(context: EngineContext, quote: QuoteBody): PairPrice | null {
  const [input, output] = sidesOf(context, quote);
  if (!input || !output) return null;
  const [paid, got] = [context.prices.price(input), context.prices.price(output)];
  const sameGroup = input.group === output.group;
  if (!paid.ok || !got.ok) return sameGroup ? { inUsd: quote.terms.inUsd, outUsd: quote.terms.outUsd } : null;
  return sameGroup ? groupPrice(paid.usd, got.usd) : { inUsd: paid.usd, outUsd: got.usd };
}

/**
 * The quote's terms at the prices of now, and at the gas of now where that has become dearer; null while one of them is missing.
 */
export function lateTerms(context: EngineContext, quote: QuoteBody): PriceTerms | null {
  const pair = pairNow(context, quote);
  const gas = pair && gasNow(context, quote, pair.inUsd);
  if (!pair || gas === null) return null;
  const charged = BigInt(quote.terms.relayerGas);
  return { ...quote.terms, ...pair, relayerGas: (gas > charged ? gas : charged).toString() };
}

/** What filling and collecting take now, in the input currency's smallest unit, rounded up. */
function gasNow(context: EngineContext, quote: QuoteBody, inUsd: string): bigint | null {
  const origin = context.chains.get(quote.origin.chainId);
  const destination = context.chains.get(quote.destination.chainId);
  const fill = destination?.legCost('fill', quote.destination.currency, quote.recipient);
  const collect = origin?.legCost('collect', quote.origin.currency);
  if (!origin || !destination || !fill || !collect) return null;
  const inInput = (native: bigint, coin: Currency): bigint | null => {
    const price = context.prices.price(coin);
    return price.ok ? convert(native, coin.decimals, price.usd, quote.origin.decimals, inUsd, 'ceil') : null;
  };
  // A recipient that takes more work than others was charged for it.
  const scaled =
    quote.fillWork !== undefined && fill.work !== undefined && fill.work > 0n
      ? divide(fill.native * BigInt(quote.fillWork), fill.work, 'ceil')
      : fill.native;
  const [out, back] = [inInput(scaled, destination.facts.currency), inInput(collect.native, origin.facts.currency)];
  return out === null || back === null ? null : out + back;
}

function sidesOf(context: EngineContext, { origin, destination }: QuoteBody): readonly (Currency | undefined)[] {
  return [origin, destination].map(({ chainId, currency }) => context.chains.get(chainId)?.currency(currency));
}
