import type { CostEstimate } from '../../contract/chain-adapter.js';
import { refuseUnfillable } from '../fillable.js';
import { readMarket } from '../market.js';
import { movingFee } from '../moving-fee.js';
import type { Priced } from '../plan-stage.js';
import { leastOf, price, refuseBeyondLimits } from '../pricing.js';
import { recipientCost } from '../recipient-cost.js';
import type { Route } from '../route.js';
import { refused, type Stage } from '../stage.js';
import { readTopUp } from '../top-up.js';
import type { ValidAsk } from '../validate.js';
import type { WayDeps } from './way-deps.js';

export async function payDirectly(ask: ValidAsk, route: Route, deps: WayDeps): Promise<Stage<Priced>> {
  const usual = priceNow(ask, route, deps);
  if (refused(usual)) return usual;
  const cost = await recipientCost(usual, deps.clock);
  if (refused(cost)) return cost;
  if (cost === undefined) return { ...usual, asked: route };
  const priced = priceNow(ask, route, deps, cost);
  // The calls' cost reduces what they can spend: they must also succeed with the rest.
  if (refused(priced)) return priced;
  if (ask.calls.encoded.length > 0 && leastOf(priced.pricing) < leastOf(usual.pricing)) {
    const again = await recipientCost(priced, deps.clock);
    if (refused(again)) return again;
  }
  return { ...priced, asked: route };
}

/** @param cost of the fill, if its recipient influences it. */
export function priceNow(
  ask: ValidAsk,
  route: Route,
  deps: WayDeps,
  cost?: CostEstimate,
): Stage<Omit<Priced, 'asked'>> {
  const market = readMarket(route, ask, deps, cost);
  if (refused(market)) return market;
  const topUp = readTopUp(ask, route, market, deps);
  if (refused(topUp)) return topUp;
  const pricing = price(ask, { ...route, fee: movingFee(ask, route, market, deps) }, market, deps.policy, topUp);
  if (refused(pricing)) return pricing;
  return (
    refuseUnfillable(ask, route, pricing) ??
    refuseBeyondLimits(pricing, route, ask.fixedRate, deps) ?? { ask, route, market, pricing }
  );
}
