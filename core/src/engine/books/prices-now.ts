import type { ChainAdapter, CostEstimate } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import { divide } from '../../domain/decimal.js';
import type { PriceTerms } from '../../domain/fees.js';
import { convert } from '../../domain/money.js';
import { groupPrice, type PairPrice } from '../../domain/pair-price.js';
import type { QuoteBody, QuoteSide, TopUpPromise } from '../../domain/quote.js';
import { sponsorAt } from '../../domain/sponsored-fees.js';
import { withSpread } from '../../domain/top-up.js';
import type { EngineContext } from '../base/context.js';

/** Null while unknown. Within a group a price outage changes nothing: the promise is one to one. */
export function pairNow(context: EngineContext, quote: QuoteBody): PairPrice | null {
  const { terms, origin, destination } = quote;
  const known = { inUsd: terms.inUsd, outUsd: terms.outUsd };
  return priceNow(context, currencyOf(context, origin), currencyOf(context, destination), known);
}

export function topUpPriceNow(
  context: EngineContext,
  { origin, destination, topUp, terms }: QuoteBody,
): PairPrice | null {
  if (topUp === undefined) return null;
  const coin = currencyOf(context, { chainId: destination.chainId, currency: topUp.currency });
  return priceNow(context, currencyOf(context, origin), coin, groupPrice(terms.inUsd, topUp.usd));
}

/** @param known rate within a group. */
function priceNow(
  { prices }: EngineContext,
  input: Currency | undefined,
  output: Currency | undefined,
  known: PairPrice,
): PairPrice | null {
  if (!input || !output) return null;
  const [paid, got] = [prices.price(input), prices.price(output)];
  const sameGroup = input.group === output.group;
  if (!paid.ok || !got.ok) return sameGroup ? known : null;
  return sameGroup ? groupPrice(paid.usd, got.usd) : { inUsd: paid.usd, outUsd: got.usd };
}

/** At current prices, with current gas where it has risen; null while one is missing. */
export function lateTerms(context: EngineContext, quote: QuoteBody): PriceTerms | null {
  const pair = pairNow(context, quote);
  const gas = pair && gasNow(context, quote, pair.inUsd);
  if (!pair || gas === null) return null;
  const { topUp: promised, terms } = quote;
  const sponsor = sponsorAt(terms, pair.inUsd);
  const priced = { ...terms, ...pair, relayerGas: higherOf(gas, terms.relayerGas), ...sponsor };
  if (promised === undefined || terms.topUp === undefined) return priced;
  const topUp = topUpTermsNow(context, quote, promised, pair.inUsd);
  if (topUp === null) return null;
  const { value, gas: own } = terms.topUp;
  return { ...priced, topUp: { value: higherOf(topUp.value, value), gas: higherOf(topUp.gas, own) } };
}

function higherOf(now: bigint, charged: string): string {
  // guard: late-gas
  return now > BigInt(charged) ? now.toString() : charged;
}

/** In the input currency's smallest unit, rounded up, with its own gas. */
function topUpTermsNow(
  context: EngineContext,
  quote: QuoteBody,
  promised: TopUpPromise,
  inUsd: string,
): { readonly value: bigint; readonly gas: bigint } | null {
  const { chainId } = quote.destination;
  const coin = currencyOf(context, { chainId, currency: promised.currency });
  const pair = topUpPriceNow(context, quote);
  const cost = context.chains.get(chainId)?.legCost('fill', promised.currency, quote.recipient);
  const price = coin && context.prices.price(coin);
  if (!coin || !pair || !cost || !price?.ok) return null;
  const { decimals } = quote.origin;
  const value = convert(BigInt(promised.amount), coin.decimals, pair.outUsd, decimals, pair.inUsd, 'ceil');
  const native = promised.inFill ? 0n : scaled(cost, promised.work);
  const gas = convert(native, coin.decimals, price.usd, decimals, inUsd, 'ceil');
  return { value: withSpread(value, promised.spreadBps), gas };
}

/** For recipients that need more work. */
function scaled({ native, work }: CostEstimate, charged: string | undefined): bigint {
  return charged !== undefined && work !== undefined && work > 0n
    ? divide(native * BigInt(charged), work, 'ceil')
    : native;
}

/** In the input currency's smallest unit, rounded up. */
function gasNow(context: EngineContext, quote: QuoteBody, inUsd: string): bigint | null {
  const origin = context.chains.get(quote.origin.chainId);
  const destination = context.chains.get(quote.destination.chainId);
  const fill = destination?.legCost('fill', quote.destination.currency, quote.recipient);
  const collect = origin?.legCost('collect', quote.origin.currency);
  const sweep = quote.depositAddress && origin ? sweepNow(origin, quote) : 0n;
  // guard: late-permits-pay
  const permit = quote.permit ? origin?.capabilities.permits?.cost(quote.origin.currency)?.native : 0n;
  if (!origin || !destination || !fill || !collect || sweep === undefined || permit === undefined) return null;
  const inInput = (native: bigint, coin: Currency): bigint | null => {
    const price = context.prices.price(coin);
    return price.ok ? convert(native, coin.decimals, price.usd, quote.origin.decimals, inUsd, 'ceil') : null;
  };
  const filling = scaled(fill, quote.fillWork);
  const [out, back] = [
    inInput(filling, destination.facts.currency),
    inInput(collect.native + sweep + permit, origin.facts.currency),
  ];
  return out === null || back === null ? null : out + back;
}

function sweepNow(chain: ChainAdapter, { origin }: QuoteBody): bigint | undefined {
  const { depositAddresses } = chain.capabilities;
  return depositAddresses?.sweeps === true ? chain.legCost('sweep', origin.currency)?.native : 0n;
}

function currencyOf(
  context: EngineContext,
  { chainId, currency }: Pick<QuoteSide, 'chainId' | 'currency'>,
): Currency | undefined {
  return context.chains.get(chainId)?.currency(currency);
}
