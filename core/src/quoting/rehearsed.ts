import { valueMicroUsd } from '../domain/money.js';
import { type ApiError, finalError } from '../errors/api-error.js';
import type { Demand, Flow, Side } from '../rehearsal/demand.js';
import type { QuoteFacts } from './body.js';
import { feeOf, topUpsOf } from './plan.js';
import type { QuotingDeps } from './quoting-deps.js';
import type { RouteEnd } from './route.js';

/** Also of all other calls that would promise something. */
export function refusedByRehearsal(): ApiError {
  const message =
    'This service is a rehearsal: it takes no deposits and pays nothing out. POST /price answers what it would charge';
  return finalError('SERVICE_UNAVAILABLE', message, { rehearsal: true });
}

/** What the quote would have meant, had it been paid. */
export function demandOf(facts: QuoteFacts, { policy, clock }: Pick<QuotingDeps, 'policy' | 'clock'>): Demand {
  const { ask, route, market, plan, pricing, own } = facts;
  const { origin, destination } = route;
  const { amountIn, amountOut } = pricing.amounts;
  const usdIn = (amount: bigint) => valueMicroUsd(amount, origin.currency.decimals, market.inUsd, 'floor');
  const gasUsd = (amount: bigint, { chain }: RouteEnd, usd: string) =>
    valueMicroUsd(amount, chain.facts.currency.decimals, usd, 'ceil');
  const topUps = topUpsOf(plan).map(({ coin, amount }): Flow => ({ side: sideOf(coin), amount }));
  const gas = [
    { side: sideOf(destination.chain.facts.currency), amount: market.fillCost },
    { side: sideOf(origin.chain.facts.currency), amount: market.collectCost },
  ];
  const paid = [{ side: destination.side, amount: amountOut }, ...topUps, ...gas];
  return {
    ...{ at: clock.now(), payer: ask.user, origin: origin.side, destination: destination.side },
    volume: usdIn(amountIn),
    fees: usdIn(feeOf(plan, 'relayerService')),
    charged: usdIn(feeOf(plan, 'relayerGas')),
    cost: own
      ? 0n
      : gasUsd(market.fillCost, destination, market.destinationNativeUsd) +
        gasUsd(market.collectCost, origin, market.originNativeUsd),
    paid: own ? [] : paid,
    received: own ? [] : [{ side: origin.side, amount: amountIn - pricing.app }],
    receivedAfterMs: origin.chain.facts.finalityMs + policy.collect.everyMs,
  };
}

function sideOf({ chainId, address, symbol, decimals }: RouteEnd['currency']): Side {
  return { chainId, currency: address, symbol, decimals };
}
