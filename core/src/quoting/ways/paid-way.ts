import type { LiquiditySource } from '../../contract/liquidity.js';
import type { PayerSwaps } from '../../contract/payer-swaps.js';
import { valueMicroUsd } from '../../domain/money.js';
import { type ApiError, apiError } from '../../errors/api-error.js';
import { sourcesFor } from '../../liquidity/index.js';
import { deliveryOf, type Priced, paidOf } from '../plan-stage.js';
import type { Route } from '../route.js';
import { refused, type Stage } from '../stage.js';
import type { ValidAsk } from '../validate.js';
import { bestWay } from './best-way.js';
import { type Candidate, candidates, paidBySwap } from './by-origin-swap.js';
import { noSwap } from './no-swap.js';
import type { WayDeps } from './way-deps.js';

const MAX_SWAPS_TRIED = 2;

/**
 * A direct deposit wins where possible, unless pools pay more than the market price after all costs: the solver
 * converts at the market price.
 */
export async function paidWay(ask: ValidAsk, asked: Route, deps: WayDeps): Promise<Stage<Priced>> {
  const isTaken = asked.origin.currency.isSwappedIn !== true;
  const own = offered(ask, asked);
  const sources = own === undefined ? [] : sourcesOn(ask, asked, deps);
  // No swap where the payer could swap alone, or the solver is to do everything.
  const stays = isTaken && (asked.sameChain || ask.solverExecutes);
  if (own === undefined || sources.length === 0 || stays) return isTaken ? bestWay(ask, asked, deps) : notTaken(asked);
  if (!isTaken) return swapped(ask, asked, own, sources, deps);
  const direct = await bestWay(ask, asked, deps);
  if (refused(direct)) {
    if (!ask.swaps.only || direct.code !== 'NO_SWAP_ROUTES_FOUND') return direct;
    const other = await swapped(ask, asked, own, sources, deps);
    return refused(other) ? direct : other;
  }
  if (asked.sameGroup) return direct;
  // External sources are not asked about occasional bargains.
  const near = sources.filter(({ build }) => build === undefined);
  const least = worthOf(direct);
  const found = await candidates({ ask, asked, own, sources: near, deps, given: paidOf(direct).amount });
  const better = refused(found) ? [] : found.filter(({ netMicroUsd }) => netMicroUsd > least);
  if (better.length === 0) return direct;
  const other = await best(ask, asked, own, better, deps);
  return refused(other) || !isBetter(other, direct) ? direct : other;
}

/** Calls signed by another payer are unknown before the deposit, and a fixed rate applies to the deposited currency. */
function offered(ask: ValidAsk, { origin }: Route): PayerSwaps | undefined {
  const fits = ask.feePayer === null && ask.fixedRate === null && ask.swaps.originRules !== null;
  // A token with a transfer fee delivers less than quoted.
  const keeps = (origin.chain.legCost('collect', origin.currency.address)?.transferFeeBps ?? 0) > 0;
  const { payerSwaps } = origin.chain.capabilities;
  return fits && !keeps && payerSwaps?.deposits !== undefined ? payerSwaps : undefined;
}

function sourcesOn(ask: ValidAsk, { origin }: Route, deps: WayDeps): readonly LiquiditySource[] {
  const { originRules } = ask.swaps;
  return originRules === null ? [] : sourcesFor(deps.liquidity(), origin.chain.facts.id, originRules, true);
}

async function swapped(
  ask: ValidAsk,
  asked: Route,
  own: PayerSwaps,
  sources: readonly LiquiditySource[],
  deps: WayDeps,
): Promise<Stage<Priced>> {
  const given = ask.tradeType === 'EXACT_INPUT' ? ask.amount : null;
  const found = await candidates({ ask, asked, own, sources, deps, given });
  return refused(found) ? found : best(ask, asked, own, found, deps);
}

async function best(
  ask: ValidAsk,
  asked: Route,
  own: PayerSwaps,
  found: readonly Candidate[],
  deps: WayDeps,
): Promise<Stage<Priced>> {
  let winner: Stage<Priced> | undefined;
  for (const candidate of found.slice(0, MAX_SWAPS_TRIED)) {
    const priced = await paidBySwap(ask, asked, own, candidate, deps);
    const wins = winner === undefined || (!refused(priced) && (refused(winner) || isBetter(priced, winner)));
    if (wins) winner = priced;
  }
  return winner ?? noSwap('no pools lead to anything that is taken', 'originCurrency');
}

function notTaken({ origin: { currency, chain } }: Route): ApiError {
  const where = `${currency.symbol} on ${chain.facts.displayName}`;
  return apiError('NO_SWAP_ROUTES_FOUND', `${where} is accepted only through a swap, and none is available now`, {
    field: 'originCurrency',
    reason: 'is accepted only through a swap, and no source that the request allows makes one',
  });
}

function worthOf(priced: Priced): bigint {
  const { end, usd, amount } = paidOf(priced);
  const { market } = priced;
  const coin = end.chain.facts.currency;
  const gas = valueMicroUsd(market.depositCost, coin.decimals, market.originNativeUsd, 'ceil');
  return valueMicroUsd(amount, end.currency.decimals, usd, 'half') - gas;
}

function isBetter(one: Priced, other: Priced): boolean {
  return one.ask.tradeType === 'EXACT_INPUT'
    ? deliveryOf(one).amount > deliveryOf(other).amount
    : paidOf(one).amount < paidOf(other).amount;
}
