import type { CostEstimate } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import type { LiquiditySource, SwapWish } from '../../contract/liquidity.js';
import { divide } from '../../domain/decimal.js';
import { minimumAmount } from '../../domain/fees.js';
import { convert, valueMicroUsd } from '../../domain/money.js';
import { BPS } from '../../domain/percent.js';
import { type ApiError, apiError } from '../../errors/api-error.js';
import { type FoundSwap, type SwapSearch, searchSwaps } from '../../liquidity/index.js';
import type { Priced } from '../plan-stage.js';
import type { Route } from '../route.js';
import { refused, type Stage } from '../stage.js';
import type { ValidAsk } from '../validate.js';
import type { DestinationSwap } from './destination-swap.js';
import { priceNow } from './direct.js';
import { noSwap, tooMuch } from './no-swap.js';
import type { WayDeps } from './way-deps.js';

const SEARCH_TIMEOUT_MS = 1_500;

interface Asks {
  readonly ask: ValidAsk;
  readonly asked: Route;
  readonly usd: string;
  readonly sources: readonly LiquiditySource[];
  readonly given: Currency;
  readonly cost?: CostEstimate;
  readonly deps: WayDeps;
}

export interface Exchange {
  readonly priced: Omit<Priced, 'asked'>;
  readonly swap: DestinationSwap;
  readonly givenMicroUsd: bigint;
}

/**
 * Exact input: everything is swapped. Exact output: the required amount plus the client's tolerance is swapped,
 * because pools move until the fill.
 */
export async function exchange(asks: Asks): Promise<Stage<Exchange>> {
  const { ask, asked, given, deps, cost } = asks;
  const route = deps.routes.via(ask, asked, given);
  if (ask.tradeType === 'EXACT_INPUT') {
    const priced = priceNow(ask, route, deps, cost);
    if (refused(priced)) return priced;
    return exchanged(asks, priced);
  }
  const search = await find(asks, 'exactOutput', ask.amount);
  if (!search.ok) return noWay(search);
  const { amountIn } = (search.found[0] as FoundSwap).quote;
  const buffer = ask.tradeType === 'EXACT_OUTPUT' ? BigInt(ask.slippageBps) : 0n;
  const amount = divide(amountIn * (BPS + buffer), BPS, 'ceil');
  const priced = priceNow({ ...ask, amount }, route, deps, cost);
  if (refused(priced)) return priced;
  return exchanged(asks, { ...priced, ask });
}

async function exchanged(asks: Asks, priced: Omit<Priced, 'asked'>): Promise<Stage<Exchange>> {
  const { ask, asked, usd, given } = asks;
  const search = await find(asks, 'exactInput', priced.pricing.amounts.amountOut);
  if (!search.ok) return noWay(search);
  const found = search.found[0] as FoundSwap;
  const { amountIn, amountOut } = found.quote;
  const exactly = ask.tradeType !== 'EXACT_INPUT';
  if (ask.tradeType === 'EXACT_OUTPUT' && amountOut < ask.amount)
    return apiError('SWAP_QUOTE_FAILED', 'The pools moved while the swap was quoted: ask again');
  const amount = exactly ? ask.amount : amountOut;
  const minimum = ask.tradeType === 'EXACT_OUTPUT' ? amount : minimumAmount(amount, ask.slippageBps);
  const late =
    ask.tradeType === 'EXACT_OUTPUT' || ask.lateSlippageBps === null
      ? minimum
      : minimumAmount(amount, ask.lateSlippageBps);
  const givenMicroUsd = valueMicroUsd(amountIn, given.decimals, priced.market.outUsd, 'half');
  const loss = givenMicroUsd - valueMicroUsd(amountOut, asked.destination.currency.decimals, usd, 'half');
  return {
    priced,
    givenMicroUsd,
    swap: {
      end: asked.destination,
      usd,
      amount,
      minimum,
      least: late < minimum ? late : minimum,
      found,
      lossMicroUsd: loss > 0n ? loss : 0n,
    },
  };
}

function find(asks: Asks, kind: SwapWish['kind'], amount: bigint): SwapSearch | Promise<SwapSearch> {
  const { ask, asked, given, sources, deps } = asks;
  const { chain, currency } = asked.destination;
  const { maxHops } = ask.swaps.rules;
  const wish: SwapWish = {
    chainId: chain.facts.id,
    input: given.address,
    output: currency.address,
    kind,
    amount,
    ...(maxHops === undefined ? {} : { maxHops }),
  };
  const open = kind === 'exactInput' ? currency : given;
  return searchSwaps(sources, wish, { clock: deps.clock, patienceMs: SEARCH_TIMEOUT_MS, costOf: workIn(asks, open) });
}

function workIn({ asked, deps }: Asks, currency: Currency): (work: bigint) => bigint {
  const { chain } = asked.destination;
  const [coin, price] = [deps.prices.price(chain.facts.currency), deps.prices.price(currency)];
  return (work) => {
    const native = chain.workCost?.(work);
    if (native === undefined || !coin.ok || !price.ok) return 0n;
    return convert(native, chain.facts.currency.decimals, coin.usd, currency.decimals, price.usd, 'ceil');
  };
}

function noWay({ why, message }: Extract<SwapSearch, { ok: false }>): ApiError {
  if (why === 'noRoute') return noSwap(message);
  if (why === 'unavailable') return apiError('SWAP_QUOTE_FAILED', `The swap cannot be quoted now: ${message}`);
  return tooMuch(message);
}
