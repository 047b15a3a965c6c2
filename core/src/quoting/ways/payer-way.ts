import type { ChainAdapter } from '../../contract/chain-adapter.js';
import { laneThatSends } from '../../contract/legs.js';
import type { SwapWish } from '../../contract/liquidity.js';
import type { PayerSwaps } from '../../contract/payer-swaps.js';
import { divide } from '../../domain/decimal.js';
import {
  minimumAmount,
  type PricedAmounts,
  type PriceTerms,
  priceExactInput,
  priceExactOutput,
} from '../../domain/fees.js';
import { amountFromMicroUsd, convert, MAX_UINT256, valueMicroUsd } from '../../domain/money.js';
import { BPS } from '../../domain/percent.js';
import { apiError } from '../../errors/api-error.js';
import { type FoundSwap, searchSwaps, sourcesFor } from '../../liquidity/index.js';
import { type Market, readMarket } from '../market.js';
import type { Priced } from '../plan-stage.js';
import type { Pricing } from '../pricing.js';
import type { Route } from '../route.js';
import { refused, type Stage } from '../stage.js';
import type { ValidAsk } from '../validate.js';
import { noSwap } from './no-swap.js';
import type { WayDeps } from './way-deps.js';

export interface PayerWay {
  /** Null: a plain transfer to the recipient. */
  readonly found: FoundSwap | null;
  readonly given: bigint;
  /** To an account of the solver; null: none. */
  readonly fee: { readonly to: string; readonly amount: bigint } | null;
  /** Limit of the calls, as in `SwapParties`. */
  readonly limit: bigint;
  /** Loss against the market price, micro-USD, never negative. */
  readonly lossMicroUsd: bigint;
}

const SEARCH_TIMEOUT_MS = 1_500;
const FORCES_REFUND = 'debug-force-refund';

/**
 * No inventory moves; the solver earns only configured fees. Undefined if the payer cannot execute it or no source
 * leads there: then `bestWay` applies. If only sources are allowed, a missing one is a refusal.
 */
export async function payerWay(ask: ValidAsk, asked: Route, deps: WayDeps): Promise<Stage<Priced> | undefined> {
  const own = offered(ask, asked);
  if (own === undefined) return undefined;
  const market = marketOf(own, ask, asked, deps, 0n);
  if (market === undefined || refused(market)) return market;
  const sends = asked.origin.currency.address === asked.destination.currency.address;
  const priced = sends ? send(ask, asked, market) : await swap(ask, asked, market, deps, own);
  if (refused(priced)) return ask.swaps.only ? priced : undefined;
  const { chain } = asked.origin;
  // One provider's report of an execution suffices for its status, not for app fees owed.
  if (ask.appFees.length > 0 && chain.quorum(priced.pricing.valueMicroUsd) > 1) return undefined;
  return priced;
}

function offered(ask: ValidAsk, { sameChain, origin, destination }: Route): PayerSwaps | undefined {
  const plain = ask.calls.encoded.length === 0 && ask.authorizations.length === 0 && ask.fixedRate === null;
  const own = ask.feePayer === null && !ask.solverExecutes && ask.referrer !== FORCES_REFUND;
  const toItself = origin.currency.address === destination.currency.address && ask.recipient === ask.user;
  return sameChain && plain && own && !toItself ? origin.chain.capabilities.payerSwaps : undefined;
}

/** Without costs of fills and collections. Undefined for an input with a transfer fee, or with unknown fees. */
function marketOf(
  own: PayerSwaps,
  ask: ValidAsk,
  route: Route,
  deps: WayDeps,
  work: bigint,
): Stage<Market> | undefined {
  const cost = own.cost({ input: route.origin.currency.address, work, overhead: ask.overhead });
  if (cost === undefined) return undefined;
  const market = readMarket(route, ask, deps, { native: 0n, at: cost.at });
  if (refused(market)) return market;
  if (market.transferFeeBps > 0) return undefined;
  const free = { fillCost: 0n, fillRent: undefined, fillWork: undefined, collectCost: 0n };
  return { ...market, ...free, depositCost: cost.native };
}

function termsOf(ask: ValidAsk, route: Route, { inUsd, outUsd }: Pick<Market, 'inUsd' | 'outUsd'>): PriceTerms {
  const inDecimals = route.origin.currency.decimals;
  return {
    inDecimals,
    outDecimals: route.destination.currency.decimals,
    inUsd,
    outUsd,
    relayerGas: '0',
    serviceBps: route.fee.bps,
    serviceFloor: amountFromMicroUsd(route.fee.floorMicroUsd, inDecimals, inUsd, 'ceil').toString(),
    appFees: ask.appFees,
  };
}

/** Fees of an input amount: the output is the remainder in the same currency. */
function feesOnly(terms: PriceTerms): PriceTerms {
  return { ...terms, outDecimals: terms.inDecimals, outUsd: terms.inUsd };
}

function send(ask: ValidAsk, route: Route, market: Market): Stage<Priced> {
  if (ask.swaps.only) return noSwap('nothing is exchanged', 'useExternalLiquidity');
  const terms = termsOf(ask, route, market);
  const price = ask.tradeType === 'EXACT_INPUT' ? priceExactInput : priceExactOutput;
  const priced = price(ask.amount, feesOnly(terms));
  if (!priced.ok) return noSwap('fees leave nothing');
  const { amounts } = priced;
  const given = amounts.amountIn - feeOf(amounts);
  // The recipient gets the rounding remainder.
  const whole = { ...amounts, amountOut: given };
  return made(ask, route, market, terms, whole, given, { found: null, given, limit: given, lossMicroUsd: 0n });
}

async function swap(
  ask: ValidAsk,
  route: Route,
  market: Market,
  deps: WayDeps,
  own: PayerSwaps,
): Promise<Stage<Priced>> {
  const { chain } = route.origin;
  const sources = sourcesFor(deps.liquidity(), chain.facts.id, ask.swaps.rules, true);
  if (sources.length === 0) return noSwap(undefined, ask.swaps.only ? 'useExternalLiquidity' : 'destinationCurrency');
  const terms = termsOf(ask, route, market);
  const exactIn = ask.tradeType === 'EXACT_INPUT';
  const before = exactIn ? priceExactInput(ask.amount, feesOnly(terms)) : undefined;
  if (before && !before.ok) return noSwap('fees leave nothing');
  const { maxHops } = ask.swaps.rules;
  const wish: SwapWish = {
    chainId: chain.facts.id,
    input: route.origin.currency.address,
    output: route.destination.currency.address,
    kind: exactIn ? 'exactInput' : 'exactOutput',
    amount: before ? before.amounts.amountIn - feeOf(before.amounts) : ask.amount,
    ...(maxHops === undefined ? {} : { maxHops }),
  };
  const costOf = costIn(route, market, own, exactIn);
  const search = await searchSwaps(sources, wish, { costOf, clock: deps.clock, patienceMs: SEARCH_TIMEOUT_MS });
  const [found] = search.ok ? search.found : [];
  if (!search.ok || found === undefined) return noSwap(search.ok ? undefined : search.message);
  const { amountIn, amountOut, work } = found.quote;
  const priced = before ?? priceExactOutput(buffered(ask, route, amountIn), feesOnly(terms));
  if (!priced.ok || priced.amounts.amountIn > MAX_UINT256) return noSwap('the input amount is too large');
  const given = priced.amounts.amountIn - feeOf(priced.amounts);
  const minimum = exactIn ? leastOf(ask, route, amountOut) : ask.amount;
  const out = exactIn ? amountOut : ask.amount;
  const real = marketOf(own, ask, route, deps, work);
  if (real === undefined || refused(real)) return real ?? noSwap();
  const paid = valueMicroUsd(amountIn, terms.inDecimals, market.inUsd, 'half');
  const loss = paid - valueMicroUsd(amountOut, terms.outDecimals, market.outUsd, 'half');
  const lossMicroUsd = loss > 0n ? loss : 0n;
  if (!ask.swaps.anyImpact && lossMicroUsd * BPS > paid * BigInt(deps.policy.swaps.mostImpactBps))
    return apiError('SWAP_IMPACT_TOO_HIGH', 'The swap would lose too much against the market price', {
      field: 'overridePriceImpact',
      reason: `the impact is above ${deps.policy.swaps.mostImpactBps / 100} %; \`overridePriceImpact\` accepts it`,
    });
  const limit = exactIn ? minimum : given;
  return made(ask, route, real, terms, { ...priced.amounts, amountOut: out }, minimum, {
    ...{ found, given, limit, lossMicroUsd },
  });
}

/** Wrapping is one to one. At least one unit, the smallest amount that can be requested. */
function leastOf(ask: ValidAsk, { sameGroup }: Route, amountOut: bigint): bigint {
  const least = sameGroup ? amountOut : minimumAmount(amountOut, ask.slippageBps);
  return least > 0n ? least : 1n;
}

/** Tolerance for pool movement until execution: the payer gets the unused part back. */
function buffered(ask: ValidAsk, { sameGroup }: Route, amountIn: bigint): bigint {
  return sameGroup ? amountIn : divide(amountIn * (BPS + BigInt(ask.slippageBps)), BPS, 'ceil');
}

function costIn(route: Route, market: Market, own: PayerSwaps, exactIn: boolean): (work: bigint) => bigint {
  const { decimals } = route.origin.chain.facts.currency;
  const side = exactIn ? route.destination.currency : route.origin.currency;
  const usd = exactIn ? market.outUsd : market.inUsd;
  return (work) => {
    const native = own.cost({ input: route.origin.currency.address, work })?.native ?? 0n;
    return convert(native, decimals, market.originNativeUsd, side.decimals, usd, 'ceil');
  };
}

function feeOf({ relayerService, app }: PricedAmounts): bigint {
  return app.reduce((sum, fee) => sum + fee, relayerService);
}

function made(
  ask: ValidAsk,
  route: Route,
  market: Market,
  terms: PriceTerms,
  amounts: PricedAmounts,
  minimum: bigint,
  own: Omit<PayerWay, 'fee'>,
): Priced {
  const values = [
    valueMicroUsd(amounts.amountIn, terms.inDecimals, terms.inUsd, 'ceil'),
    valueMicroUsd(amounts.amountOut, terms.outDecimals, market.marketOutUsd, 'ceil'),
  ] as const;
  const pricing: Pricing = {
    ...{ terms, amounts, minimum, lateMinimum: null, spreadBps: 0, fixedRateBps: 0 },
    app: amounts.app.reduce((sum, fee) => sum + fee, 0n),
    valueMicroUsd: values[0] > values[1] ? values[0] : values[1],
  };
  const fee = feeOf(amounts);
  const to = solverAccount(route.origin.chain);
  return { ask, asked: route, route, market, pricing, own: { ...own, fee: fee === 0n ? null : { to, amount: fee } } };
}

/** An inventory account, where income is observed and booked. */
function solverAccount({ lanes, facts }: ChainAdapter): string {
  const lane = laneThatSends(lanes, 'fill');
  if (!lane) throw new Error(`no lane of ${facts.name} fills`);
  return lane.signer;
}
