import { sponsorTerms } from '../capabilities/sponsorship/ask-sponsor.js';
import {
  minimumAmount,
  type PricedAmounts,
  type PriceTerms,
  priceExactInput,
  priceExactOutput,
} from '../domain/fees.js';
import { fixedRateBps } from '../domain/fixed-rate.js';
import { amountFromMicroUsd, convert, formatUnits, MAX_UINT256, microUsdText, valueMicroUsd } from '../domain/money.js';
import { BPS } from '../domain/percent.js';
import { spreadBps } from '../domain/spread.js';
import { type ApiError, apiError, finalError, invalidRequest } from '../errors/api-error.js';
import { refuseBeyondMinimum } from './calls.js';
import { amountTooLow } from './fillable.js';
import { type FixedRate, refuseBelowRate, refuseBeyondKept, validityMs } from './fixed-rate.js';
import type { Market } from './market.js';
import type { QuotingDeps } from './quoting-deps.js';
import type { Route } from './route.js';
import type { Stage } from './stage.js';
import type { TopUp } from './top-up.js';
import type { ValidAsk } from './validate.js';

export interface Pricing {
  readonly terms: PriceTerms;
  /** `amountIn` is what arrives of the deposit. */
  readonly amounts: PricedAmounts;
  /** What leaves the payer's account so that `amountIn` arrives; absent: the same. */
  readonly sent?: bigint;
  /** Sum of the integrators' fees, origin currency. */
  readonly app: bigint;
  /** Minimum output of a fill. */
  readonly minimum: bigint;
  /** Minimum output for a deposit past the validity; null: the same. */
  readonly lateMinimum: bigint | null;
  /** Price-risk part of the service fee, hundredths of a per cent. */
  readonly spreadBps: number;
  /** Fixed-rate part of the service fee, hundredths of a per cent. */
  readonly fixedRateBps: number;
  readonly topUp?: TopUp;
  /** Value of the more expensive side, rounded up, so that neither rounding nor a low price evades limits. */
  readonly valueMicroUsd: bigint;
}

/** AMOUNT_TOO_LOW when fees leave nothing. */
export function price(
  ask: ValidAsk,
  route: Route,
  market: Market,
  policy: Pick<QuotingDeps['policy'], 'spread' | 'fixedRate'>,
  topUp?: TopUp,
): Stage<Pricing> {
  const groups = [route.origin.currency.group, route.destination.currency.group] as const;
  const riskMs = market.priceAgeMs + validityMs(ask.fixedRate, route, policy);
  const spread = spreadBps(policy.spread, groups, riskMs);
  const fixed = ask.fixedRate && policy.fixedRate ? fixedRateBps(policy.fixedRate, groups, riskMs) : 0;
  const besides = topUp === undefined ? {} : { topUp: topUp.terms };
  const sponsor = sponsorTerms(ask.sponsor, route, market);
  const terms = { ...priceTerms(ask, route, market, spread + fixed), ...besides, ...sponsor };
  const taken = terms.appFees.reduce((sum, fee) => sum + BigInt(fee.bps), BigInt(terms.serviceBps));
  if (taken >= BPS) return nothingLeft(ask, route, market);
  const kept = route.origin.chain.transferFee?.(route.origin.currency.address);
  const isExactInput = ask.tradeType === 'EXACT_INPUT';
  const priced = isExactInput
    ? priceExactInput(kept?.arriving(ask.amount) ?? ask.amount, terms)
    : priceExactOutput(ask.amount, terms);
  if (!priced.ok) return amountTooLow(ask, route, terms, 1n, 'less does not cover the fees');
  const { amounts } = priced;
  const sent = isExactInput ? ask.amount : (kept?.sentFor(amounts.amountIn) ?? amounts.amountIn);
  if (sent > MAX_UINT256) return invalidRequest('amount', 'needs a larger input than 2^256 - 1');
  const least = minima(ask, amounts.amountOut);
  return (
    refuseBelowRate(ask.fixedRate, route, amounts) ??
    refuseBeyondMinimum(ask.calls, least.minimum) ?? {
      terms: withMost(terms, amounts),
      amounts,
      ...(sent === amounts.amountIn ? {} : { sent }),
      app: amounts.app.reduce((sum, fee) => sum + fee, 0n),
      ...least,
      ...(topUp === undefined ? {} : { topUp }),
      spreadBps: spread,
      fixedRateBps: fixed,
      valueMicroUsd: larger(
        valueMicroUsd(amounts.amountIn, terms.inDecimals, terms.inUsd, 'ceil'),
        valueMicroUsd(amounts.amountOut, terms.outDecimals, market.marketOutUsd, 'ceil'),
      ),
    }
  );
}

/** From now on, no more than was quoted is sponsored. */
function withMost(terms: PriceTerms, { sponsored }: PricedAmounts): PriceTerms {
  if (terms.sponsor === undefined) return terms;
  return { ...terms, sponsor: { ...terms.sponsor, most: (sponsored ?? 0n).toString() } };
}

/** App fees or transfer fees take all of any amount. */
function nothingLeft({ appFees }: ValidAsk, { origin, destination }: Route, { transferFeeBps }: Market): ApiError {
  if (appFees.length > 0) return invalidRequest('appFees', 'must leave something of the amount');
  const pair = `${origin.currency.symbol} to ${destination.currency.symbol}`;
  return apiError(
    'UNSUPPORTED_ROUTE',
    `${pair}: fees must leave something of the amount, and transfers cost ${transferFeeBps} bps`,
  );
}

/**
 * An exact output is never undershot. Other trade types tolerate slippage, but not below what calls spend: on time
 * for an expected output, and for every late payment.
 */
function minima(ask: ValidAsk, amountOut: bigint): Pick<Pricing, 'minimum' | 'lateMinimum'> {
  if (ask.tradeType === 'EXACT_OUTPUT') return { minimum: amountOut, lateMinimum: null };
  const { value } = ask.calls;
  const minimum = minimumAmount(amountOut, ask.slippageBps);
  return {
    minimum: ask.tradeType === 'EXPECTED_OUTPUT' ? larger(minimum, value) : minimum,
    lateMinimum: ask.lateSlippageBps === null ? null : larger(minimumAmount(amountOut, ask.lateSlippageBps), value),
  };
}

/** Less is no fill, on time or late. */
export function leastOf({ minimum, lateMinimum }: Pick<Pricing, 'minimum' | 'lateMinimum'>): bigint {
  return lateMinimum !== null && lateMinimum < minimum ? lateMinimum : minimum;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function priceTerms(ask: ValidAsk, route: Route, market: Market, spread: number): PriceTerms {
  const { currency } = route.origin;
  const inDecimals = currency.decimals;
  const gas = (native: bigint, decimals: number, usd: string) =>
    convert(native, decimals, usd, inDecimals, market.inUsd, 'ceil');
  const fill = gas(market.fillCost, route.destination.chain.facts.currency.decimals, market.destinationNativeUsd);
  const collect = gas(market.collectCost, route.origin.chain.facts.currency.decimals, market.originNativeUsd);
  return {
    inDecimals,
    outDecimals: route.destination.currency.decimals,
    inUsd: market.inUsd,
    outUsd: market.outUsd,
    relayerGas: (fill + collect).toString(),
    serviceBps: /* guard: spread */ route.fee.bps + market.transferFeeBps + spread,
    serviceFloor: amountFromMicroUsd(route.fee.floorMicroUsd, inDecimals, market.inUsd, 'ceil').toString(),
    appFees: ask.appFees,
  };
}

/** Refuses what could not be filled now. Reserves nothing. */
export function refuseBeyondLimits(
  pricing: Pricing,
  route: Route,
  fixed: FixedRate | null,
  deps: Pick<QuotingDeps, 'engine' | 'policy'>,
): ApiError | undefined {
  const { maxRequestMicroUsd } = deps.policy.limits;
  if (maxRequestMicroUsd !== null && pricing.valueMicroUsd > maxRequestMicroUsd) {
    return beyondCap(`one request may be worth at most ${microUsdText(maxRequestMicroUsd)} USD`);
  }
  const unkept = refuseBeyondKept(fixed, pricing.valueMicroUsd, deps.policy);
  if (unkept) return unkept;
  const left = deps.engine.volumeLeft();
  if (left !== null && pricing.valueMicroUsd > left) {
    return beyondCap(`at most ${microUsdText(left)} USD more are accepted today (UTC)`);
  }
  const { chain, currency } = route.destination;
  const available = deps.engine.available(chain.facts.id, currency.address);
  if (available >= pricing.amounts.amountOut) return undefined;
  const most = available > 0n ? available : 0n;
  const held = `${formatUnits(most, currency.decimals)} ${currency.symbol} on ${chain.facts.displayName}`;
  return apiError('INSUFFICIENT_LIQUIDITY', `The solver can pay out at most ${held} now`, {
    field: 'amount',
    reason: `pays out more than ${held}`,
    maximum: most.toString(),
  });
}

/** A limit of the operator: not retriable. */
function beyondCap(reason: string): ApiError {
  return finalError('INSUFFICIENT_LIQUIDITY', `The amount is too large: ${reason}`, { field: 'amount', reason });
}
