import { divide } from './decimal.js';
import { conversionRatio } from './money.js';
import { BPS } from './percent.js';
import { feesOf, type SponsorTerms, sponsoredOf, withoutSponsor } from './sponsored-fees.js';

/** Input of the fee function, frozen in the quote. JSON-safe: amounts are decimal strings. */
export interface PriceTerms {
  readonly inDecimals: number;
  readonly outDecimals: number;
  /** USD per whole unit, exact decimal text. Equal texts mean one asset: only decimals convert. */
  readonly inUsd: string;
  readonly outUsd: string;
  /** Buffered gas of fill and collect, input currency's smallest unit. */
  readonly relayerGas: string;
  readonly serviceBps: number;
  /** Minimum service fee, input currency's smallest unit. */
  readonly serviceFloor: string;
  readonly appFees: readonly { readonly recipient: string; readonly bps: number }[];
  /** Cost of a gas top-up; absent: none. */
  readonly topUp?: TopUpTerms;
  /** Fees that an app balance pays; absent: none. */
  readonly sponsor?: SponsorTerms;
}

/** In the input currency's smallest unit, rounded up. */
export interface TopUpTerms {
  readonly value: string;
  readonly gas: string;
}

export interface PricedAmounts {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Includes the top-up's gas. */
  readonly relayerGas: bigint;
  readonly relayerService: bigint;
  readonly app: readonly bigint[];
  /** Paid by an app balance on top of `amountIn`; absent without a sponsor. */
  readonly sponsored?: bigint;
}

export type Priced =
  | { readonly ok: true; readonly amounts: PricedAmounts }
  | { readonly ok: false; readonly reason: 'NEGATIVE_NEW_AMOUNT_AFTER_FEES' };

/**
 * `amountIn + sponsored = relayerGas + relayerService + sum(app) + terms.topUp.value + what converts to amountOut`,
 * exactly.
 *
 * Rounding: proportional fees are differences of rounded-up cumulative sums, service first. So the parts add up, each
 * is within one unit of its exact share, and one more unit in never means less out. The conversion rounds down.
 */
export function priceExactInput(amountIn: bigint, terms: PriceTerms): Priced {
  if (amountIn <= 0n) return NOTHING_LEFT;
  const relayerGas = gasOf(terms);
  const topUp = BigInt(terms.topUp?.value ?? '0');
  const cuts = cumulativeFees(amountIn, terms);
  const [proportional = 0n] = cuts;
  const floor = BigInt(terms.serviceFloor);
  const relayerService = proportional > floor ? proportional : floor;
  const app = terms.appFees.map((_, index) => (cuts[index + 1] ?? 0n) - (cuts[index] ?? 0n));
  const appTotal = (cuts.at(-1) ?? 0n) - proportional;
  const fees = { relayerGas, relayerService, app };
  const sponsored = terms.sponsor && sponsoredOf(feesOf(fees, terms.sponsor, gasOfTopUp(terms)), terms.sponsor);
  const net = amountIn - relayerGas - relayerService - appTotal - topUp + (sponsored ?? 0n);
  if (net <= 0n) return NOTHING_LEFT;
  const [numerator, denominator] = ratio(terms);
  const amountOut = divide(net * numerator, denominator, 'floor');
  if (amountOut <= 0n) return NOTHING_LEFT;
  return { ok: true, amounts: { amountIn, amountOut, ...fees, ...(sponsored === undefined ? {} : { sponsored }) } };
}

/**
 * The smallest input whose output is at least `amountOut`. The result has the asked `amountOut`; the rounding surplus
 * stays in the pot.
 */
export function priceExactOutput(amountOut: bigint, terms: PriceTerms): Priced {
  if (amountOut <= 0n) return NOTHING_LEFT;
  if (terms.sponsor !== undefined) return sponsoredOutput(amountOut, terms);
  const service = bps(terms.serviceBps);
  const app = terms.appFees.reduce((sum, fee) => sum + bps(fee.bps), 0n);
  if (service + app >= BPS) return NOTHING_LEFT;
  const [numerator, denominator] = ratio(terms);
  const net = divide(amountOut * denominator, numerator, 'ceil');
  const fixed = BigInt(terms.relayerGas) + topUpCharge(terms);
  const amountIn = smallestInput(net + fixed, BigInt(terms.serviceFloor), service, app, terms);
  const priced = priceExactInput(amountIn, terms);
  return priced.ok ? { ok: true, amounts: { ...priced.amounts, amountOut } } : priced;
}

/** Found by halving: less input never gives more output, and a sponsor never raises the input. */
function sponsoredOutput(amountOut: bigint, terms: PriceTerms): Priced {
  const unsponsored = priceExactOutput(amountOut, withoutSponsor(terms));
  if (!unsponsored.ok) return unsponsored;
  let [low, high] = [1n, unsponsored.amounts.amountIn];
  while (low < high) {
    const middle = (low + high) / 2n;
    const priced = priceExactInput(middle, terms);
    if (priced.ok && priced.amounts.amountOut >= amountOut) high = middle;
    else low = middle + 1n;
  }
  const priced = priceExactInput(low, terms);
  return priced.ok ? { ok: true, amounts: { ...priced.amounts, amountOut } } : priced;
}

/** Input taken by a top-up including gas, returned if it cannot be delivered. */
export function topUpCharge({ topUp }: Pick<PriceTerms, 'topUp'>): bigint {
  return topUp === undefined ? 0n : BigInt(topUp.value) + BigInt(topUp.gas);
}

function gasOf(terms: PriceTerms): bigint {
  return BigInt(terms.relayerGas) + gasOfTopUp(terms);
}

function gasOfTopUp({ topUp }: PriceTerms): bigint {
  return BigInt(topUp?.gas ?? '0');
}

/** Minimum output that counts as a fill: `amountOut` less the tolerance, rounded down. */
export function minimumAmount(amountOut: bigint, slippageBps: number): bigint {
  return divide(amountOut * (BPS - bps(slippageBps)), BPS, 'floor');
}

const NOTHING_LEFT: Priced = { ok: false, reason: 'NEGATIVE_NEW_AMOUNT_AFTER_FEES' };

function smallestInput(kept: bigint, floor: bigint, service: bigint, app: bigint, terms: PriceTerms): bigint {
  const proportional = divide(kept * BPS, BPS - service - app, 'ceil');
  let low = divide((kept + floor - 1n) * BPS, BPS - app, 'floor') + 1n;
  let high = divide((kept + floor) * BPS, BPS - app, 'ceil');
  if (low < proportional) low = proportional;
  if (high < proportional) high = proportional;
  while (low < high) {
    const middle = (low + high) / 2n;
    if (leaves(middle, terms, floor) >= kept) high = middle;
    else low = middle + 1n;
  }
  return low;
}

function leaves(amountIn: bigint, terms: PriceTerms, floor: bigint): bigint {
  const cuts = cumulativeFees(amountIn, terms);
  const [proportional = 0n] = cuts;
  const total = cuts.at(-1) ?? 0n;
  return amountIn - (proportional > floor ? total : total - proportional + floor);
}

function cumulativeFees(amountIn: bigint, terms: PriceTerms): readonly bigint[] {
  let sum = bps(terms.serviceBps);
  const cuts = [divide(amountIn * sum, BPS, 'ceil')];
  for (const fee of terms.appFees) {
    sum += bps(fee.bps);
    cuts.push(divide(amountIn * sum, BPS, 'ceil'));
  }
  return cuts;
}

function ratio(terms: PriceTerms): readonly [bigint, bigint] {
  return conversionRatio(terms.inDecimals, terms.inUsd, terms.outDecimals, terms.outUsd);
}

function bps(value: number): bigint {
  if (!Number.isInteger(value) || value < 0) throw new RangeError(`${value} is not a number of basis points`);
  return BigInt(value);
}
