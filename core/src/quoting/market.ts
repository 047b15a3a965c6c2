import type { CostEstimate } from '../contract/chain-adapter.js';
import type { Currency } from '../contract/currency.js';
import { laneThatSends } from '../contract/legs.js';
import { groupPrice, partedBps } from '../domain/pair-price.js';
import type { PriceBook } from '../domain/price-book.js';
import type { QuotePrices } from '../domain/quote.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import { ERROR_CATALOGUE } from '../errors/catalogue.js';
import type { QuotingDeps } from './quoting-deps.js';
import type { Route } from './route.js';
import { refused, type Stage } from './stage.js';
import { refuseUnserved } from './unserved.js';
import type { ValidAsk } from './validate.js';

/** Current prices and costs from the background refreshers. USD per whole unit; costs in native smallest units. */
export interface Market {
  /** Exchange price: equal texts are one asset. */
  readonly inUsd: string;
  readonly outUsd: string;
  readonly marketOutUsd: string;
  readonly priceAgeMs: number;
  /** Undefined where a source has no name. */
  readonly sources: QuotePrices | undefined;
  readonly originNativeUsd: string;
  readonly destinationNativeUsd: string;
  readonly fillCost: bigint;
  /** Part of `fillCost` that a new account of the recipient locks up; undefined if accounts are free. */
  readonly fillRent: bigint | undefined;
  /** Work that the fill is charged for; undefined if only the service decides it. */
  readonly fillWork: bigint | undefined;
  /** Moving the deposit into inventory, from its deposit address where it has one, and sending it where a permit does. */
  readonly collectCost: bigint;
  /** Transfer fees of the two currencies, hundredths of a per cent of the input, rounded up. */
  readonly transferFeeBps: number;
  /** Payer's cost of the deposit steps. */
  readonly depositCost: bigint;
  /** Bound of the work of the deposit's transaction, where the service sends it. */
  readonly permitWork?: bigint;
  /** Part of `collectCost` that such a transaction costs. */
  readonly permitCost?: bigint;
}

/**
 * From memory. Refuses in the order of the interface: paused, unhealthy chain, barred payout currency or missing fee
 * sample (SERVICE_UNAVAILABLE), stale price (PRICE_FETCH_FAILED), unknown price (UNSUPPORTED_CURRENCY), diverged
 * prices within a group (ROUTE_TEMPORARILY_RESTRICTED).
 *
 * @param cost of the fill for its recipient; absent: the usual cost.
 */
export function readMarket(
  route: Route,
  ask: Pick<ValidAsk, 'recipient' | 'overhead' | 'address' | 'permit'>,
  deps: Pick<QuotingDeps, 'engine' | 'prices' | 'policy' | 'clock'>,
  cost?: CostEstimate,
): Stage<Market> {
  const { origin, destination } = route;
  const shut =
    refusePaused(route, deps) ?? refuseUnserved([origin.chain, destination.chain], deps.engine) ?? refuseBarred(route);
  if (shut) return shut;
  const fill = cost ?? destination.chain.legCost('fill', destination.currency.address, ask.recipient);
  const collect = origin.chain.legCost('collect', origin.currency.address);
  const deposit = origin.chain.depositCost(origin.currency.address, ask.overhead);
  if (!fill) return noFees(destination.chain.facts.displayName);
  const sweep = ask.address === null ? NO_SWEEP : sweepCost(origin);
  const permit = ask.permit === null ? null : origin.chain.capabilities.permits?.cost(origin.currency.address);
  if (!collect || !deposit || !sweep || permit === undefined) return noFees(origin.chain.facts.displayName);
  const wanted = [origin.currency, destination.currency, origin.chain.facts.currency, destination.chain.facts.currency];
  const prices = pricesOf(wanted, deps);
  if (refused(prices)) return prices;
  const [paid, got, originNative, destinationNative] = prices as readonly [Price, Price, Price, Price];
  const [inUsd, outUsd] = [paid.usd, got.usd];
  if (route.sameGroup && partedBps(inUsd, outUsd) > deps.policy.mostPartedBps)
    return apiError(
      'ROUTE_TEMPORARILY_RESTRICTED',
      `The prices of ${origin.currency.symbol} and ${destination.currency.symbol}, which are exchanged one to one, have diverged`,
    );
  const pair = route.sameGroup ? groupPrice(inUsd, outUsd) : { inUsd, outUsd };
  return {
    inUsd: pair.inUsd,
    outUsd: pair.outUsd,
    marketOutUsd: outUsd,
    priceAgeMs: Math.max(0, deps.clock.now() - Math.min(paid.at, got.at)),
    sources: sourcesOf(paid, got),
    originNativeUsd: originNative.usd,
    destinationNativeUsd: destinationNative.usd,
    fillCost: fill.native,
    fillRent: fill.rent,
    fillWork: fill.work,
    collectCost: collect.native + sweep.native + /* guard: permits-are-charged */ (permit?.native ?? 0n),
    transferFeeBps: (collect.transferFeeBps ?? 0) + onTop(fill.transferFeeBps ?? 0),
    depositCost: permit === null ? deposit.native : 0n,
    ...(permit === null ? {} : { permitWork: permit.work, permitCost: permit.native }),
  };
}

const NO_SWEEP = { native: 0n } as const;

function sweepCost({ chain, currency }: Route['origin']): Pick<CostEstimate, 'native'> | undefined {
  if (chain.capabilities.depositAddresses?.sweeps !== true) return NO_SWEEP;
  return chain.legCost('sweep', currency.address);
}

type Price = Extract<ReturnType<PriceBook['price']>, { readonly ok: true }>;

function sourcesOf(paid: Price, got: Price): QuotePrices | undefined {
  if (paid.source === undefined || got.source === undefined) return undefined;
  return {
    origin: { source: paid.source, usd: paid.usd, at: paid.at },
    destination: { source: got.source, usd: got.usd, at: got.at },
  };
}

/** A stale price is reported before an unknown one, because a retry will help. */
function pricesOf(wanted: readonly Currency[], { prices }: Pick<QuotingDeps, 'prices'>): Stage<readonly Price[]> {
  const found: Price[] = [];
  let unknown: Currency | undefined;
  for (const currency of wanted) {
    const price = prices.price(currency);
    if (price.ok) found.push(price);
    else if (price.why === 'stale') return apiError('PRICE_FETCH_FAILED', `The price of ${currency.symbol} is too old`);
    else unknown ??= currency;
  }
  return unknown === undefined ? found : apiError('UNSUPPORTED_CURRENCY', `${unknown.symbol} cannot be priced`);
}

function refusePaused(route: Route, deps: Pick<QuotingDeps, 'engine'>): ApiError | undefined {
  const ends = [route.origin.chain.facts.id, route.destination.chain.facts.id] as const;
  const paused = deps.engine.paused(...ends);
  if (paused === null) return undefined;
  const code = paused === 'route' ? 'ROUTE_TEMPORARILY_RESTRICTED' : 'CHAIN_DISABLED';
  const message = paused === 'all' ? 'The service is paused' : ERROR_CATALOGUE[code].message;
  const reason = deps.engine.pauseReason(...ends);
  return reason === null ? apiError(code, message) : apiError(code, `${message}: ${reason}`, { reason });
}

/** The lane may not pay out in the currency. */
function refuseBarred({ destination: { chain, currency } }: Route): ApiError | undefined {
  const paying = laneThatSends(chain.lanes, 'fill');
  if (!paying || chain.laneAllowance?.(paying.signer, currency.address)?.value !== 0n) return undefined;
  return apiError('SERVICE_UNAVAILABLE', `${currency.symbol} on ${chain.facts.displayName} cannot be paid out now`, {
    chainId: chain.facts.id,
  });
}

/** Transfer fees of a fill are added on top, so that it arrives in full. At 100 % nothing more can be added. */
function onTop(transferFeeBps: number): number {
  return transferFeeBps >= WHOLE_BPS
    ? WHOLE_BPS
    : Math.ceil((transferFeeBps * WHOLE_BPS) / (WHOLE_BPS - transferFeeBps));
}

const WHOLE_BPS = 10_000;

function noFees(chain: string): ApiError {
  return apiError('SERVICE_UNAVAILABLE', `The fees of ${chain} are not known yet`);
}
