import type { CostEstimate } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import type { LiquiditySource } from '../../contract/liquidity.js';
import { type ApiError, apiError } from '../../errors/api-error.js';
import { NO_CALLS, refuseBeyondMinimum } from '../calls.js';
import type { Priced } from '../plan-stage.js';
import type { Route } from '../route.js';
import { refused, type Stage } from '../stage.js';
import type { ValidAsk } from '../validate.js';
import { type Exchange, exchange } from './exchange.js';
import { noSwap } from './no-swap.js';
import { trySwap } from './try-swap.js';
import type { WayDeps } from './way-deps.js';

/** Work of a fill that swaps, without the swap: the extra work of a fill with calls, rounded up. */
const WORK_OF_CALLS = 110_000n;
const WORK_OF_SWAP = 150_000n;
const MAX_SWAPS_TRIED = 3;

interface Offer extends Exchange {
  readonly given: Currency;
}

/**
 * Every inventory currency is quoted at every source and ranked by output; the best are simulated on chain before
 * anything is promised.
 */
export async function payBySwap(
  ask: ValidAsk,
  asked: Route,
  sources: readonly LiquiditySource[],
  deps: WayDeps,
  tries = MAX_SWAPS_TRIED,
): Promise<Stage<Priced>> {
  const { chain, currency } = asked.destination;
  const price = deps.prices.price(currency);
  if (!price.ok) {
    const stale = price.why === 'stale';
    return stale
      ? apiError('PRICE_FETCH_FAILED', `The price of ${currency.symbol} is too old`)
      : apiError('UNSUPPORTED_CURRENCY', `${currency.symbol} cannot be priced`);
  }
  const held = chain.currencies().filter((given) => {
    const { address } = given;
    if (address === currency.address || deps.engine.available(chain.facts.id, address) === 0n) return false;
    return deps.prices.price(given).ok;
  });
  if (held.length === 0) return noSwap('the solver holds nothing to exchange');
  const asks = { ask: { ...ask, calls: NO_CALLS }, asked, usd: price.usd, deps };
  const answers = await Promise.all(
    held.map(async (given) => {
      const cost = usualCost(asked, given);
      const offered = await exchange({ ...asks, sources, given, ...(cost === undefined ? {} : { cost }) });
      return refused(offered) ? offered : { ...offered, given };
    }),
  );
  const offers = answers.filter((one): one is Offer => !refused(one)).sort(better(ask));
  const [best] = offers;
  if (best === undefined) return mostReporting(answers.filter(refused));
  const settled = await settle(ask, asked, best, price.usd, deps);
  if (!refused(settled) || !TRY_ANOTHER.has(settled.code) || tries <= 1) return settled;
  // A source that overpromises must not keep the others from being asked.
  const others = sources.filter((source) => source !== best.swap.found.source);
  const other = others.length === 0 ? settled : await payBySwap(ask, asked, others, deps, tries - 1);
  return refused(other) ? settled : other;
}

const TRY_ANOTHER: ReadonlySet<string> = new Set([
  'DESTINATION_TX_FAILED',
  'SWAP_IMPACT_TOO_HIGH',
  'SWAP_QUOTE_FAILED',
]);

async function settle(
  ask: ValidAsk,
  asked: Route,
  { given, swap, priced }: Offer,
  usd: string,
  deps: WayDeps,
): Promise<Stage<Priced>> {
  const cost = await trySwap(ask, { ...priced, asked }, swap, deps);
  if (refused(cost)) return cost;
  const sources = [swap.found.source];
  const again = await exchange({ ask: { ...ask, calls: NO_CALLS }, asked, usd, deps, sources, given, cost });
  if (refused(again)) return again;
  return (
    refuseBeyondMinimum(ask.calls, again.swap.least) ??
    refuseImpact(ask, again, deps) ?? { ...again.priced, ask, asked, swap: again.swap }
  );
}

function refuseImpact(ask: ValidAsk, { swap, givenMicroUsd }: Exchange, { policy }: WayDeps): ApiError | undefined {
  const { mostImpactBps } = policy.swaps;
  if (ask.swaps.anyImpact || swap.lossMicroUsd * 10_000n <= givenMicroUsd * BigInt(mostImpactBps)) return undefined;
  const percent = Number((swap.lossMicroUsd * 10_000n) / (givenMicroUsd === 0n ? 1n : givenMicroUsd)) / 100;
  return apiError('SWAP_IMPACT_TOO_HIGH', `The swap would lose ${percent} % to the price of the market`, {
    field: 'overridePriceImpact',
    reason: `the impact is above ${mostImpactBps / 100} %; \`overridePriceImpact\` accepts it`,
  });
}

function usualCost({ destination: { chain } }: Route, given: Currency): CostEstimate | undefined {
  const fill = chain.legCost('fill', given.address);
  const more = chain.workCost?.(WORK_OF_CALLS + WORK_OF_SWAP);
  return fill && more !== undefined ? { ...fill, native: fill.native + more } : undefined;
}

function better({ tradeType }: ValidAsk): (a: Offer, b: Offer) => number {
  const gain = ({ swap, priced }: Offer) =>
    tradeType === 'EXACT_INPUT' ? swap.amount : -priced.pricing.amounts.amountIn;
  return (a, b) => (gain(a) === gain(b) ? 0 : gain(a) > gain(b) ? -1 : 1);
}

/** Prefers a refusal that is not merely a missing swap. */
function mostReporting(refusals: readonly ApiError[]): ApiError {
  return refusals.find(({ code }) => !CANNOT_BE_EXCHANGED.has(code)) ?? noSwap('no pools lead there');
}

const CANNOT_BE_EXCHANGED: ReadonlySet<string> = new Set(['NO_SWAP_ROUTES_FOUND', 'UNSUPPORTED_CURRENCY']);
