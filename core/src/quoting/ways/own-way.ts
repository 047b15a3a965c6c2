import type { ChainAdapter } from '../../contract/chain-adapter.js';
import { laneThatSends } from '../../contract/legs.js';
import type { SwapWish } from '../../contract/liquidity.js';
import type { OwnSwaps } from '../../contract/own-swaps.js';
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

/** What a payer executes by itself, smallest unit of the input. */
export interface OwnWay {
  /** Null: what is given goes to the recipient as it is. */
  readonly found: FoundSwap | null;
  /** What is left of the input for the calls, or for the recipient. */
  readonly given: bigint;
  /** To an account of the solver; null: nothing. */
  readonly fee: { readonly to: string; readonly amount: bigint } | null;
  /** Limit of the calls, as `SwapParties` has it. */
  readonly limit: bigint;
  /** What the exchange loses to the market's price, micro-USD, never negative. */
  readonly lossMicroUsd: bigint;
}

/** Longest that sources which have to ask somebody are waited for. */
const PATIENCE_MS = 1_500;
/** Whoever wants to see a refund gets one (`FORCE_REFUND`). */
const FORCES_REFUND = 'debug-force-refund';

/**
 * Within one chain, where the payer can execute it: a swap at a source of liquidity, or a payment. Nothing of the inventory moves, and
 * the solver earns no more than the fees that are configured. Undefined: it is not for the payer to execute, or no source leads
 * there, and it goes as everything else does (`bestWay`). Where only sources will do, that there is none is a refusal.
 */
export async function ownWay(ask: ValidAsk, asked: Route, deps: WayDeps): Promise<Stage<Priced> | undefined> {
  const own = offered(ask, asked);
  if (own === undefined) return undefined;
  const market = marketOf(own, ask, asked, deps, 0n);
  if (market === undefined || refused(market)) return market;
  const sends = asked.origin.currency.address === asked.destination.currency.address;
  const priced = sends ? send(ask, asked, market) : await swap(ask, asked, market, deps, own);
  if (refused(priced)) return ask.swaps.only ? priced : undefined;
  const { chain } = asked.origin;
  // What a single provider tells of an execution is enough for its status, and not for what is owed to integrators.
  if (ask.appFees.length > 0 && chain.quorum(priced.pricing.valueMicroUsd) > 1) return undefined;
  return priced;
}

function offered(ask: ValidAsk, { sameChain, origin, destination }: Route): OwnSwaps | undefined {
  const plain = ask.calls.encoded.length === 0 && ask.authorizations.length === 0 && ask.fixedRate === null;
  const own = ask.feePayer === null && !ask.solverExecutes && ask.referrer !== FORCES_REFUND;
  const toItself = origin.currency.address === destination.currency.address && ask.recipient === ask.user;
  return sameChain && plain && own && !toItself ? origin.chain.capabilities.ownSwaps : undefined;
}

/** Without what fills and collections cost. Undefined where the input keeps a part of transfers, or nothing is known of fees. */
function marketOf(own: OwnSwaps, ask: ValidAsk, route: Route, deps: WayDeps, work: bigint): Stage<Market> | undefined {
  const cost = own.cost({ input: route.origin.currency.address, work, overhead: ask.overhead });
  if (cost === undefined) return undefined;
  const market = readMarket(route, ask, deps, { native: 0n, at: cost.at });
  if (refused(market)) return market;
  if (market.keptBps > 0) return undefined;
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

/** Fees of an amount of the input: what is left of it is what comes out, in its own currency. */
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
  // What rounding leaves beyond the fees is the recipient's.
  const whole = { ...amounts, amountOut: given };
  return made(ask, route, market, terms, whole, given, { found: null, given, limit: given, lossMicroUsd: 0n });
}

async function swap(ask: ValidAsk, route: Route, market: Market, deps: WayDeps, own: OwnSwaps): Promise<Stage<Priced>> {
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
  const search = await searchSwaps(sources, wish, { costOf, clock: deps.clock, patienceMs: PATIENCE_MS });
  const [found] = search.ok ? search.found : [];
  if (!search.ok || found === undefined) return noSwap(search.ok ? undefined : search.message);
  const { amountIn, amountOut, work } = found.quote;
  const priced = before ?? priceExactOutput(buffered(ask, route, amountIn), feesOnly(terms));
  if (!priced.ok || priced.amounts.amountIn > MAX_UINT256) return noSwap('it would take more than there is');
  const given = priced.amounts.amountIn - feeOf(priced.amounts);
  const minimum = exactIn ? leastOf(ask, route, amountOut) : ask.amount;
  const out = exactIn ? amountOut : ask.amount;
  const real = marketOf(own, ask, route, deps, work);
  if (real === undefined || refused(real)) return real ?? noSwap();
  const paid = valueMicroUsd(amountIn, terms.inDecimals, market.inUsd, 'half');
  const loss = paid - valueMicroUsd(amountOut, terms.outDecimals, market.outUsd, 'half');
  const lossMicroUsd = loss > 0n ? loss : 0n;
  if (!ask.swaps.anyImpact && lossMicroUsd * BPS > paid * BigInt(deps.policy.swaps.mostImpactBps))
    return apiError('SWAP_IMPACT_TOO_HIGH', 'The swap would lose too much to the price of the market', {
      field: 'overridePriceImpact',
      reason: `the impact is above ${deps.policy.swaps.mostImpactBps / 100} %; \`overridePriceImpact\` accepts it`,
    });
  const limit = exactIn ? minimum : given;
  return made(ask, route, real, terms, { ...priced.amounts, amountOut: out }, minimum, {
    ...{ found, given, limit, lossMicroUsd },
  });
}

/** Wrapping is one for one. Nothing is worth less than one unit, which is the least that can be asked for. */
function leastOf(ask: ValidAsk, { sameGroup }: Route, amountOut: bigint): bigint {
  const least = sameGroup ? amountOut : minimumAmount(amountOut, ask.slippageBps);
  return least > 0n ? least : 1n;
}

/** Pools move until it is executed: what they do not take in the end goes back to the payer. */
function buffered(ask: ValidAsk, { sameGroup }: Route, amountIn: bigint): bigint {
  return sameGroup ? amountIn : divide(amountIn * (BPS + BigInt(ask.slippageBps)), BPS, 'ceil');
}

/** What the payer's gas for so much work is worth in the side that is left open. */
function costIn(route: Route, market: Market, own: OwnSwaps, exactIn: boolean): (work: bigint) => bigint {
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
  own: Omit<OwnWay, 'fee'>,
): Priced {
  const values = [
    valueMicroUsd(amounts.amountIn, terms.inDecimals, terms.inUsd, 'ceil'),
    valueMicroUsd(amounts.amountOut, terms.outDecimals, market.ownOutUsd, 'ceil'),
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

/** Where inventory is: what comes there is found, and counted. */
function solverAccount({ lanes, facts }: ChainAdapter): string {
  const lane = laneThatSends(lanes, 'fill');
  if (!lane) throw new Error(`no lane of ${facts.name} fills`);
  return lane.signer;
}
