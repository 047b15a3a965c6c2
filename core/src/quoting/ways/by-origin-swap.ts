import type { Currency } from '../../contract/currency.js';
import type { LiquiditySource, SwapWish } from '../../contract/liquidity.js';
import type { PayerSwaps } from '../../contract/payer-swaps.js';
import { divide } from '../../domain/decimal.js';
import { minimumAmount, priceExactOutput } from '../../domain/fees.js';
import { amountFromMicroUsd, convert, formatUnits, MAX_UINT256, valueMicroUsd } from '../../domain/money.js';
import { BPS } from '../../domain/percent.js';
import { type ApiError, apiError, invalidRequest } from '../../errors/api-error.js';
import { type FoundSwap, type SwapSearch, searchSwaps } from '../../liquidity/index.js';
import type { Priced } from '../plan-stage.js';
import type { Route } from '../route.js';
import { refused, type Stage } from '../stage.js';
import type { ValidAsk } from '../validate.js';
import { bestWay } from './best-way.js';
import { noSwap, tooMuch } from './no-swap.js';
import type { OriginSwap } from './origin-swap.js';
import type { WayDeps } from './way-deps.js';

const SEARCH_TIMEOUT_MS = 1_500;
/** A swap's gain over its quote that is still delivered; more would let one quote be used for any amount. */
const MAX_ABOVE_BPS = 100n;
const PROBE_MICRO_USD = 100_000_000n;

interface Asks {
  readonly ask: ValidAsk;
  readonly asked: Route;
  readonly own: PayerSwaps;
  readonly sources: readonly LiquiditySource[];
  readonly deps: WayDeps;
}

export interface Candidate {
  readonly taken: Currency;
  readonly sources: readonly LiquiditySource[];
  readonly found: FoundSwap;
  readonly netMicroUsd: bigint;
}

/**
 * Currencies that could be deposited after a swap, most valuable first.
 *
 * @param given of the payer's currency; null: still open, so a reference amount is used.
 */
export async function candidates(asks: Asks & { readonly given: bigint | null }): Promise<Stage<readonly Candidate[]>> {
  const { ask, asked, own, sources, deps } = asks;
  const { chain, currency } = asked.origin;
  const price = deps.prices.price(currency);
  if (!price.ok)
    return price.why === 'stale'
      ? apiError('PRICE_FETCH_FAILED', `The price of ${currency.symbol} is too old`)
      : apiError('UNSUPPORTED_CURRENCY', `${currency.symbol} cannot be priced`);
  const coin = deps.prices.price(chain.facts.currency);
  const probe = amountFromMicroUsd(PROBE_MICRO_USD, currency.decimals, price.usd, 'ceil');
  const amount = asks.given ?? probe;
  const found = await Promise.all(
    chain.currencies().map(async (taken): Promise<Candidate | undefined> => {
      const worth = deps.prices.price(taken);
      if (taken.address === currency.address || taken.isSwappedIn || !worth.ok) return undefined;
      if ((chain.legCost('collect', taken.address)?.transferFeeBps ?? 0) > 0) return undefined;
      const search = await find({ ...asks, taken, kind: 'exactInput', amount });
      const first = search.ok ? search.found[0] : undefined;
      if (first === undefined) return undefined;
      const cost = own.cost({
        input: currency.address,
        work: first.quote.work,
        deposits: true,
        overhead: ask.overhead,
      });
      const gas = cost && coin.ok ? valueMicroUsd(cost.native, chain.facts.currency.decimals, coin.usd, 'ceil') : 0n;
      const value = valueMicroUsd(first.quote.amountOut, taken.decimals, worth.usd, 'half');
      return { taken, sources, found: first, netMicroUsd: value - gas };
    }),
  );
  const good = found.filter((one): one is Candidate => one !== undefined);
  good.sort((a, b) => (a.netMicroUsd === b.netMicroUsd ? 0 : a.netMicroUsd > b.netMicroUsd ? -1 : 1));
  if (good.length === 0)
    return noSwap(`no pools lead from ${currency.symbol} to anything that is taken`, 'originCurrency');
  return good;
}

/**
 * Exact input: the current swap output is deposited, and the minimum follows from the tolerated output, so that any
 * result is filled. Exact output: the pools bring exactly the deposit; the payer is asked for the tolerance on top
 * and keeps the unused part. With a second swap on the destination each side gets half of the tolerance.
 */
export async function paidBySwap(
  ask: ValidAsk,
  asked: Route,
  own: PayerSwaps,
  { taken, sources, found: quoted }: Candidate,
  deps: WayDeps,
): Promise<Stage<Priced>> {
  const asks = { ask, asked, own, sources, deps, taken };
  const route = deps.routes.from(ask, asked, taken);
  // The origin swap already satisfies the requirement.
  const plain = { ...ask, swaps: { ...ask.swaps, only: false } };
  if (ask.tradeType === 'EXACT_INPUT') {
    const expected = quoted.quote.amountOut;
    const priced = await bestWay({ ...plain, amount: expected }, route, deps);
    if (refused(priced)) return inWhatIsPaid(priced, ask, asked, expected);
    const slippageBps = priced.swap === undefined ? ask.slippageBps : Math.floor(ask.slippageBps / 2);
    const { amountOut } = priced.pricing.amounts;
    const tolerated = priceExactOutput(minimumAmount(amountOut, slippageBps), priced.pricing.terms);
    const least = tolerated.ok && tolerated.amounts.amountIn < expected ? tolerated.amounts.amountIn : expected;
    const most = divide(expected * (BPS + MAX_ABOVE_BPS), BPS, 'floor');
    return whole(asks, priced, quoted, { amount: ask.amount, least, most, slippageBps });
  }
  const priced = await bestWay(plain, route, deps);
  if (refused(priced)) return priced;
  const needed = priced.pricing.amounts.amountIn;
  const search = await find({ ...asks, kind: 'exactOutput', amount: needed });
  const found = search.ok ? search.found[0] : undefined;
  if (found === undefined) return noWay(search);
  const amount = divide(found.quote.amountIn * (BPS + BigInt(ask.slippageBps)), BPS, 'ceil');
  if (amount > MAX_UINT256) return invalidRequest('amount', 'needs a larger input than 2^256 - 1');
  return whole(asks, priced, found, { amount, least: needed, most: needed, slippageBps: ask.slippageBps });
}

function whole(
  { ask, asked, own, deps, taken }: Asks & { readonly taken: Currency },
  priced: Priced,
  found: FoundSwap,
  terms: Pick<OriginSwap, 'amount' | 'least' | 'most' | 'slippageBps'>,
): Stage<Priced> {
  const { chain, currency } = asked.origin;
  const price = deps.prices.price(currency);
  const cost = own.cost({ input: currency.address, work: found.quote.work, deposits: true, overhead: ask.overhead });
  if (!price.ok || cost === undefined)
    return apiError('SERVICE_UNAVAILABLE', `The fees of ${chain.facts.displayName} are not known yet`);
  const { amountIn, amountOut } = found.quote;
  const paid = valueMicroUsd(amountIn, currency.decimals, price.usd, 'half');
  const loss = paid - valueMicroUsd(amountOut, taken.decimals, priced.market.inUsd, 'half');
  const lossMicroUsd = loss > 0n ? loss : 0n;
  const { mostImpactBps } = deps.policy.swaps;
  if (!ask.swaps.anyImpact && lossMicroUsd * BPS > paid * BigInt(mostImpactBps))
    return apiError('SWAP_IMPACT_TOO_HIGH', 'The swap would lose too much against the market price', {
      field: 'overridePriceImpact',
      reason: `the impact is above ${mostImpactBps / 100} %; \`overridePriceImpact\` accepts it`,
    });
  const market = { ...priced.market, depositCost: cost.native };
  const swapIn: OriginSwap = { end: asked.origin, usd: price.usd, found, lossMicroUsd, ...terms };
  return { ...priced, ask: { ...priced.ask, amount: ask.amount, swaps: ask.swaps }, asked, market, swapIn };
}

/** Converts the minimum amount of the rest of the way into the payer's currency. */
function inWhatIsPaid(error: ApiError, { amount }: ValidAsk, { origin }: Route, expected: bigint): ApiError {
  const { minimum } = (error.errorData ?? {}) as { readonly minimum?: string };
  if (error.code !== 'AMOUNT_TOO_LOW' || minimum === undefined || expected === 0n) return error;
  const { decimals, symbol } = origin.currency;
  const least = divide(BigInt(minimum) * amount, expected, 'ceil');
  const reason = `must be at least about ${least} (${formatUnits(least, decimals)} ${symbol})`;
  const context = { field: 'amount', reason, minimum: least.toString() };
  return apiError('AMOUNT_TOO_LOW', `The amount ${reason}: less does not cover the fees`, context);
}

interface Wanted extends Asks {
  readonly taken: Currency;
  readonly kind: SwapWish['kind'];
  readonly amount: bigint;
}

function find({ ask, asked, own, sources, deps, taken, kind, amount }: Wanted): SwapSearch | Promise<SwapSearch> {
  const { chain, currency } = asked.origin;
  const hops = ask.swaps.originRules?.maxHops;
  const wish: SwapWish = {
    ...{ chainId: chain.facts.id, input: currency.address, output: taken.address, kind, amount },
    ...(hops === undefined ? {} : { maxHops: hops }),
  };
  const [coin, open] = [deps.prices.price(chain.facts.currency), kind === 'exactInput' ? taken : currency];
  const price = deps.prices.price(open);
  const costOf = (work: bigint): bigint => {
    const native = own.cost({ input: currency.address, work, deposits: true })?.native;
    if (native === undefined || !coin.ok || !price.ok) return 0n;
    return convert(native, chain.facts.currency.decimals, coin.usd, open.decimals, price.usd, 'ceil');
  };
  return searchSwaps(sources, wish, { clock: deps.clock, patienceMs: SEARCH_TIMEOUT_MS, costOf });
}

function noWay(search: SwapSearch): ApiError {
  if (search.ok || search.why === 'noRoute') return noSwap(search.ok ? undefined : search.message, 'originCurrency');
  if (search.why === 'unavailable')
    return apiError('SWAP_QUOTE_FAILED', `The swap cannot be quoted now: ${search.message}`);
  return tooMuch(search.message);
}
