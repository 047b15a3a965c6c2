import { divide } from '../domain/decimal.js';
import { microUsdText, usdValueText, valueMicroUsd } from '../domain/money.js';
import { BPS, bpsPercentText, percentText, rateText } from '../domain/percent.js';
import type { Operation } from '../domain/request-type.js';
import type { QuoteFacts } from './body.js';
import { type AmountView, amountView, currencyView } from './currency-view.js';
import { feeOf, lossOf, type Plan, topUpsOf } from './plan.js';
import { deliveryOf, paidOf } from './plan-stage.js';

interface Usd {
  readonly usd: string;
}

interface Impact extends Usd {
  readonly percent: string;
}

interface RouteSide {
  readonly inputCurrency: AmountView;
  readonly outputCurrency: AmountView;
  /** `relay` for the solver's own leg; else the liquidity source. */
  readonly router: string;
  /** Ids of the sources of a swap; absent without one. */
  readonly includedSwapSources?: readonly string[];
}

export interface Details {
  readonly operation: Operation;
  readonly sender: string;
  readonly recipient: string;
  readonly currencyIn: AmountView;
  readonly currencyOut: AmountView;
  readonly refundCurrency: AmountView;
  /** Native coin in addition to the output; absent if there is none. */
  readonly currencyGasTopup?: AmountView;
  readonly totalImpact: Impact;
  readonly swapImpact: Impact;
  readonly expandedPriceImpact: Readonly<Record<'swap' | 'execution' | 'relay' | 'service' | 'app' | 'sponsored', Usd>>;
  readonly rate: string;
  readonly slippageTolerance: {
    /** Basis points. */
    readonly total: string;
    readonly origin: Impact & { readonly value: string };
    readonly destination: Impact & { readonly value: string };
  };
  /** Seconds. */
  readonly timeEstimate: number;
  /** Of the payer in the origin currency, smallest unit. Absent if unknown: a quote does not depend on it. */
  readonly userBalance?: string;
  readonly isFixedRate: boolean;
  /** The fixed-rate part of the service fee. */
  readonly fixedRateFee?: Usd;
  /** Unix milliseconds: deposits in blocks up to then are filled as quoted. Never after `deadlineAt`. */
  readonly expiresAt: number;
  /** Unix milliseconds: a deposit not filled by then is refunded. The earlier of the order's deadline and `ttl`. */
  readonly deadlineAt: number;
  readonly route: { readonly origin: RouteSide; readonly destination: RouteSide };
}

const ZERO_USD = '0.000000';
const NO_IMPACT = Object.freeze({ usd: ZERO_USD, percent: '0.00' });

export function details(facts: QuoteFacts, balance: bigint | undefined): Details {
  const { ask, asked, route, market, pricing, plan, promised, timeEstimate } = facts;
  const { end, usd, amount, minimum } = deliveryOf(facts);
  const paid = paidOf(facts);
  const currencyIn = amountView(paid.end.view, paid.amount, paid.usd);
  const currencyOut = amountView(end.view, amount, usd, minimum);
  const minus = (amount: bigint): Usd => ({
    usd: usdValueText(-amount, route.origin.currency.decimals, market.inUsd),
  });
  const service = minus(feeOf(plan, 'relayerService'));
  const swap = swapImpact(plan, pricing.valueMicroUsd);
  const deadlineAt = Math.min(promised.deadlineAt, promised.ttlAt ?? Infinity);
  return {
    operation: asked.operation,
    sender: ask.user,
    recipient: ask.recipient,
    currencyIn,
    currencyOut,
    refundCurrency: currencyIn,
    ...topUpView(plan),
    totalImpact: totalImpact(facts),
    swapImpact: swap,
    expandedPriceImpact: {
      swap: { usd: swap.usd },
      execution: minus(feeOf(plan, 'relayerGas')),
      relay: service,
      service,
      app: minus(feeOf(plan, 'app')),
      sponsored: {
        usd: usdValueText(pricing.amounts.sponsored ?? 0n, route.origin.currency.decimals, market.inUsd),
      },
    },
    rate: rateText(paid.amount, paid.end.currency.decimals, amount, end.currency.decimals),
    slippageTolerance: {
      total: ask.slippageBps.toString(),
      origin: originSlippage(facts),
      destination: slippageOf(ask.slippageBps, end.currency.decimals, usd, amount - minimum),
    },
    timeEstimate,
    ...(balance === undefined ? {} : { userBalance: balance.toString() }),
    isFixedRate: ask.fixedRate !== null,
    ...(ask.fixedRate === null ? {} : { fixedRateFee: { usd: fixedRateFee(pricing) } }),
    expiresAt: Math.min(promised.expiresAt, deadlineAt),
    deadlineAt,
    route: facts.own?.found
      ? payerSwapRoute(facts.own.found.source.id, currencyIn, currencyOut)
      : {
          origin: originSide(facts, currencyIn),
          destination: destinationSide(facts, currencyOut),
        },
  };
}

function fixedRateFee({ amounts, fixedRateBps, terms }: QuoteFacts['pricing']): string {
  const fee = divide(amounts.amountIn * BigInt(fixedRateBps), BPS, 'ceil');
  return usdValueText(fee, terms.inDecimals, terms.inUsd);
}

function swapImpact(plan: Plan, whole: bigint): Impact {
  const loss = lossOf(plan);
  return loss === 0n ? NO_IMPACT : { usd: microUsdText(-loss), percent: percentText(-loss, whole) };
}

function payerSwapRoute(router: string, currencyIn: AmountView, currencyOut: AmountView): Details['route'] {
  return {
    origin: { inputCurrency: currencyIn, outputCurrency: currencyOut, router, includedSwapSources: [router] },
    destination: { inputCurrency: currencyOut, outputCurrency: currencyOut, router },
  };
}

function originSide({ route, market, pricing, swapIn }: QuoteFacts, currencyIn: AmountView): RouteSide {
  if (swapIn === undefined) {
    const deposited =
      pricing.sent === undefined ? currencyIn : amountView(route.origin.view, pricing.amounts.amountIn, market.inUsd);
    return { inputCurrency: currencyIn, outputCurrency: deposited, router: 'relay' };
  }
  const { id } = swapIn.found.source;
  const deposited = amountView(route.origin.view, pricing.amounts.amountIn, market.inUsd, swapIn.least);
  return { inputCurrency: currencyIn, outputCurrency: deposited, router: id, includedSwapSources: [id] };
}

function destinationSide({ route, market, pricing, swap }: QuoteFacts, currencyOut: AmountView): RouteSide {
  if (swap === undefined) return { inputCurrency: currencyOut, outputCurrency: currencyOut, router: 'relay' };
  const { id } = swap.found.source;
  const given = amountView(route.destination.view, pricing.amounts.amountOut, market.outUsd, pricing.minimum);
  return { inputCurrency: given, outputCurrency: currencyOut, router: id, includedSwapSources: [id] };
}

function topUpView(plan: Plan): Pick<Details, 'currencyGasTopup'> {
  const [topUp] = topUpsOf(plan);
  if (topUp === undefined) return {};
  const { coin, amount, usd, least } = topUp;
  return { currencyGasTopup: amountView(currencyView(coin), amount, usd, least) };
}

/** The top-up counts as received. */
function totalImpact(facts: QuoteFacts): Impact {
  const { plan } = facts;
  const { end, usd, amount } = deliveryOf(facts);
  const value = (units: bigint, decimals: number, price: string) => valueMicroUsd(units, decimals, price, 'half');
  const input = paidOf(facts);
  const paid = value(input.amount, input.end.currency.decimals, input.usd);
  const output = value(amount, end.currency.decimals, usd);
  const got = topUpsOf(plan).reduce((sum, one) => sum + value(one.amount, one.coin.decimals, one.usd), output);
  return { usd: microUsdText(got - paid), percent: percentText(got - paid, paid) };
}

/** Of the deposit; the unused part of an exact output stays with the payer. */
function originSlippage({ route, market, pricing, swapIn }: QuoteFacts): Details['slippageTolerance']['origin'] {
  const { decimals } = route.origin.currency;
  if (swapIn === undefined) return slippageOf(0, decimals, market.inUsd, 0n);
  return slippageOf(swapIn.slippageBps, decimals, market.inUsd, pricing.amounts.amountIn - swapIn.least);
}

function slippageOf(bps: number, decimals: number, price: string, value: bigint): Impact & { readonly value: string } {
  if (value === 0n) return { ...NO_IMPACT, value: '0' };
  return { usd: usdValueText(value, decimals, price), value: value.toString(), percent: bpsPercentText(bps) };
}
